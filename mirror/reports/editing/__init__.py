"""What people may type about a report, and what it changes."""
