"""Terms of a team: their bodies read against a catalog, and the terms that the words of a question say."""
