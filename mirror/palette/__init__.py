"""The palette: pages and things of Mirror, found by typing."""
