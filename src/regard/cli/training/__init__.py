"""What ``regard train`` is made of."""
