"""What ``regard embed`` is asked, and what it answers."""
