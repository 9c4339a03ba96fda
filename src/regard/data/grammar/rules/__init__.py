"""The rules: each makes the words of both languages at once, and so their alignment."""
