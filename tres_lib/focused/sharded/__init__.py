"""One crawl shared out over many shards, each of which owns the hosts that are hashed to it."""
