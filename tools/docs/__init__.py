"""The documentation site: a page for every mechanism of the catalogue, made when it is built."""
