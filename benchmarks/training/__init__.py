"""``regard bench training``: updates per second beside other frameworks, a process each."""
