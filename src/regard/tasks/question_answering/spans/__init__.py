"""Passages that are answered by a span: features, corpus, objective and answers."""
