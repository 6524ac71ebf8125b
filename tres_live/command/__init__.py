"""The command line: ``tres crawl``, ``watch``, ``resume``, ``status``, ``export`` and others."""
