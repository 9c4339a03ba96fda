"""The engine: one meaning, several paths."""
