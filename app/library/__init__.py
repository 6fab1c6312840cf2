"""What changes a library: reports come in, are corrected, are removed; its facts as a sheet."""
