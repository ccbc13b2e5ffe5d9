"""Statements as trees: names, scopes, clauses, literals and layout. Nothing here runs one."""
