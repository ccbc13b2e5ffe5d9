"""What goes out of a run: deliveries and what they carry, who wants them, what holds them back, links to files."""
