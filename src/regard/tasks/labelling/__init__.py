"""What tasks have in common that give labels to text: one for each word, or one for all of it."""
