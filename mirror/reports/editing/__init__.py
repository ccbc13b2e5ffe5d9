"""Forms about a report, and what it changes."""
