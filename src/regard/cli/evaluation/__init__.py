"""What ``regard evaluate`` is made of."""
