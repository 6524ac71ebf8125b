"""The watch: when to look again at known pages, and where new ones come from."""
