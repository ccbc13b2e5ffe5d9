"""The one way to run SQL on a source: opened, bound, guarded, run within limits, and its rows stored."""
