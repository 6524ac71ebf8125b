"""A WARC file of what was fetched, from which `ReplayWeb.from_warc` makes a web again."""

import logging
import os
from io import BytesIO
from pathlib import Path
from threading import Lock

from tres_webs import Page, Web, Wrapper
from tres_webs.files import StorageError, file_lock, open_file
from tres_webs.recorded.warc import whole_records

logger = logging.getLogger(__name__)


class Archive(Wrapper):
    """Another web; each fetched page is written to a WARC file before it is handed out.

    A record holds the document as UTF-8 with just the headers needed to read it again. Records are
    written whole or not at all; one torn by a crash is cut off when the file is opened again. The
    file is ``*.warc.gz``, made or appended to; ValueError if it is no WARC file.

    References
    ----------
    ISO 28500:2017, The WARC file format.
    """

    def __init__(self, web: Web, path: str | Path):
        super().__init__(web)
        self.path = Path(path)
        if not self.path.name.endswith(".warc.gz"):
            raise ValueError(f"path={str(path)!r}: give a name that ends in .warc.gz")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = Lock()
        if self.path.exists():
            open_file(self.path).close()  # no link or FIFO
            with file_lock(self.path):
                whole = max((end for _, end in whole_records(self.path)), default=0)
                if torn := self.path.stat().st_size - whole:
                    logger.warning("%s: the last %d bytes, a torn record, are cut off", path, torn)
                    os.truncate(self.path, whole)

    def fetch(self, url: str) -> Page:
        """Return a page, written to the file unless it has no `html`.

        StorageError, which ends a crawl, if it cannot be written.
        """
        page = super().fetch(url)
        if page.html is not None:
            with self._lock:
                self._write(url, page, page.html)
        return page

    def _write(self, url: str, page: Page, html: bytes) -> None:
        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import BufferWARCWriter

        kind = ("Content-Type", "text/html; charset=utf-8")
        mark = {"WARC-Truncated": "length"} if page.truncated else {}
        answers = [(page.url, f"{page.status} OK", kind, html, mark)]
        if page.url != url:
            answers.insert(0, (url, "302 Found", ("Location", page.url), b"", {}))
        records = BufferWARCWriter(gzip=True)
        for at, status, header, body, about in answers:
            headers = [header, ("Content-Length", str(len(body)))]
            http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            named = {"http_headers": http, "warc_headers_dict": about}
            record = records.create_warc_record(at, "response", BytesIO(body), **named)
            records.write_record(record)
        data = records.get_contents()
        try:
            # Without a buffer, which would write the rest of the data when the file is closed.
            with file_lock(self.path), open_file(self.path, "ab", buffering=0) as file:
                end = file.tell()
                try:
                    while data:
                        data = data[file.write(data) :]
                except BaseException:
                    file.truncate(end)
                    raise
        except OSError as error:
            raise StorageError(f"the archive could not be written: {error.strerror}") from error
