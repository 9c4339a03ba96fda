"""Where mkdocs finds what :mod:`docs.hook` does; it imports from the folder of this file."""

from docs.hook import on_config, on_files, on_page_content

__all__ = ["on_config", "on_files", "on_page_content"]
