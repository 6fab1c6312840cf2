"""One file for each way to put pages in order."""
