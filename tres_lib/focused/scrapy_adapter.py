"""The former home of `tres_lib.web.live.scrapy.with_scrapy`, kept for programs that import it."""

from ..web.live.scrapy import with_scrapy as with_scrapy
