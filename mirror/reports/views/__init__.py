"""Pages of reports and their buttons; one module a page or a thing that is asked for."""
