"""One file for each job of the command line: ingest, answer, measure."""
