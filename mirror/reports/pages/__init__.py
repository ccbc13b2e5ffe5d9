"""What the pages of reports show; one module a page."""
