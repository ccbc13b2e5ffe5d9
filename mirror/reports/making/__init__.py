"""Making one run: its rows, whether they are worth sending, its files and pictures, and how it fails."""
