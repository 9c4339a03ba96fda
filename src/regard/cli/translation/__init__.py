"""What ``regard translate``, ``show`` and ``evaluate`` are made of."""
