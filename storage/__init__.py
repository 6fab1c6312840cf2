"""What is known and kept: records, errors, the library of companies and reports, pages, manifests, caches."""
