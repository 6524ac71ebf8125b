"""Our order of fetches in the loops of Scrapy, crawl4ai and crawlee."""
