"""Statements of engines that would run in this process run in children that can be killed.

They are forks of `sqlagent.forks`. `child` is one: it opens the file and runs one statement after another. `lending`
is the caller's side: it keeps children that are ready, and says in words how one ended. `database` is the adapter
that asks them, `here` one that opens a file in its own process, `engine` what both ask of SQLite and DuckDB. `plain`
reads what a child wrote.
"""
