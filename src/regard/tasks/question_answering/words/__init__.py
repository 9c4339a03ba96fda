"""Stories that are answered by a word: corpus, objective and answers."""
