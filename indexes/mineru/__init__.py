"""Page records from MinerU's output, which is found in a folder or requested over HTTP."""
