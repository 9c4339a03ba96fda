"""What tasks that look at pictures have in common: how they are read, stored maps, views."""
