"""The words of the grammar, as data."""
