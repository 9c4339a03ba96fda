"""The command ``regard``: one small file per command, found by name when it is called."""
