"""English as data: words, numbers, dates and synonyms, shared by linking and the grammar.

Nothing here knows a catalog's meaning or SQL; it decides only how text is cut into words
and which words mean the same.
"""
