"""A language model on this machine: its file, and the server that runs it beside this process."""
