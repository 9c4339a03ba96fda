"""Looking at attention."""
