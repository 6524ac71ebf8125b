"""One crawl shared out over processes or machines."""
