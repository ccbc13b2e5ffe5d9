"""What results hold: when two values are the same, and what a column is."""
