"""Work that waits in the store for a worker: claimed, leased, given turns, handed back. Its kinds register themselves."""
