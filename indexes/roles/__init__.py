"""Who holds which office, from signatures, lists and sentences; the firm that audits; who holds many shares."""
