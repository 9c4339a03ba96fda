"""What models learn from: readers, vocabularies, batches by budget, the grammar."""
