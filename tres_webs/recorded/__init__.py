"""Recorded webs: real pages that are fetched again without the network."""
