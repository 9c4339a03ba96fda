"""Behind ``regard show``: what is drawn, and where to."""
