"""Where it is kept: databases, files, caches."""
