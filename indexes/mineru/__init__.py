"""Reports read by MinerU: its output in a folder, or asked for over HTTP, as page records."""
