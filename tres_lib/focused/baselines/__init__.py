"""The crawlers that TRES is compared with."""
