"""Prospector, the crawler of our own: one model of every URL, fitted anew as the crawl grows."""
