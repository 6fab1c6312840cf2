"""What is stored: records, the library of companies and reports, pages, manifests, caches; and the errors."""
