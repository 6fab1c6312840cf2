"""Changes to a library: adding, correcting and removing reports; and its facts as a sheet."""
