"""Tasks: data in, batches out, and the measure of success."""
