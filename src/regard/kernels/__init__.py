"""Compiled inner loops for CPUs, and what runs them: optional, never the only way to a result."""
