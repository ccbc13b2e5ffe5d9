"""The knowledge of a source before anyone asks: its names, keys, facts, values and the semantic model of them."""
