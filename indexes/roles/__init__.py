"""Who holds which office: officers from signatures, lists and sentences, and the firm that audits."""
