"""Statements of engines that would run in this process run in children that can be killed.

`server` is a small process that forks them, watches their memory and time, and ends them. `child` is one of
them: it opens the file and runs one statement after another. `lending` is the caller's side: it starts the
server, keeps children that are ready, and says how one ended. `frames` is what travels between.
"""
