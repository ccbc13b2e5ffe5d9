"""Processes that can be killed: forked from a small server, watched, and ended when they take too much.

`server` is that server: started by exec with what its children need already loaded, and without threads. `forking` is
the caller's side of it: starts it, has children forked, says how one ended. `frames` holds the messages between them. The
work of children is decided elsewhere: statements of files (`sqlagent.adapters.children`), or any function named as their door.
"""
