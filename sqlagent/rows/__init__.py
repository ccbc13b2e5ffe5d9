"""Values and columns of results: when two values are the same, and what a column is."""
