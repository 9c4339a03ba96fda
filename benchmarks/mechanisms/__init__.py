"""``regard bench mechanisms``: what each attention learns with the same parameters and minutes."""
