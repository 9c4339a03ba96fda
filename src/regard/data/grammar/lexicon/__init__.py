"""The words of the grammar: tab-separated tables, and the modules that read them."""
