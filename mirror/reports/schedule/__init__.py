"""When a report runs: its scheduled times, how often they may be, and the tick that makes runs of them."""
