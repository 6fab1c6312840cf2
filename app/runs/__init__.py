"""The jobs of the command line, one module each: ingest, answer, measure."""
