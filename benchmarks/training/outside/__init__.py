"""What runs in interpreters where regard is not installed; this folder is their path."""
