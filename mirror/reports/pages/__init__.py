"""Data of the pages of reports; one module a page."""
