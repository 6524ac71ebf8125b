"""A WARC file of what was fetched, from which `ReplayWeb.from_warc` makes a web again."""

import logging
import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from threading import Lock

from tres_lib.checks import members
from tres_lib.store import StorageError, file_lock
from tres_lib.web.page import FetchError, Page, Web, as_web
from tres_lib.web.recorded.warc import whole_records
from tres_lib.web.topic import Topic

logger = logging.getLogger(__name__)


class Archive(Web):
    """Another web; each fetched page is written to a WARC file before it is handed out.

    A record holds the document as UTF-8 with just the headers needed to read it again; that of a
    truncated page says so (WARC-Truncated: length). A redirect has a record of its own. Records
    are written whole or not at all; one torn by a crash is cut off when the file is opened again.

    Parameters
    ----------
    web : Web
    path : str or Path
        A file ``*.warc.gz``, made or appended to.

    Raises
    ------
    ValueError
        If the name does not end in .warc.gz, or the file is no WARC file.

    References
    ----------
    ISO 28500:2017, The WARC file format.
    """

    def __init__(self, web: Web, path: str | Path):
        members("web", web, "fetch(url)")
        self.web = web
        self.path = Path(path)
        if not self.path.name.endswith(".warc.gz"):
            raise ValueError(f"path={str(path)!r}: give a name that ends in .warc.gz")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self._cut_off_torn_end()
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"Archive({self.web!r})"

    def fetch(self, url: str) -> Page:
        """Return a page, written to the file unless it has no `html`.

        Parameters
        ----------
        url : str

        Returns
        -------
        Page

        Raises
        ------
        StorageError
            If it cannot be written, which ends a crawl.
        FetchError
            As the other web does.
        """
        page = self.web.fetch(url)
        if page.html is not None:
            with self._lock:
                self._write(url, page, page.html)
        return page

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        return self.web.is_relevant(url, topic)

    def ask_only(self, owns: Callable[[str], bool]) -> None:
        as_web(self.web).ask_only(owns)

    def remember(self, url: str, page: Page) -> None:
        as_web(self.web).remember(url, page)  # it is in the file already

    def remember_failure(self, url: str, error: FetchError) -> None:
        as_web(self.web).remember_failure(url, error)

    def _write(self, url: str, page: Page, html: bytes) -> None:
        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import BufferWARCWriter

        records = BufferWARCWriter(gzip=True)

        def add(url: str, status: str, header: tuple, body: bytes, record_headers: dict) -> None:
            headers = [header, ("Content-Length", str(len(body)))]
            http = StatusAndHeaders(status, headers, protocol="HTTP/1.1")
            made = records.create_warc_record(
                url, "response", BytesIO(body), http_headers=http, warc_headers_dict=record_headers
            )
            records.write_record(made)

        if page.url != url:
            add(url, "302 Found", ("Location", page.url), b"", {})
        kind = ("Content-Type", "text/html; charset=utf-8")
        mark = {"WARC-Truncated": "length"} if page.truncated else {}
        add(page.url, f"{page.status} OK", kind, html, mark)
        try:
            self._append(records.get_contents())
        except OSError as error:
            raise StorageError(f"the archive could not be written: {error.strerror}") from error

    def _append(self, data: bytes) -> None:
        # Without a buffer, which would write the rest of the data when the file is closed.
        with file_lock(self.path), self.path.open("ab", buffering=0) as file:
            end = file.tell()
            try:
                while data:
                    data = data[file.write(data) :]
            except BaseException:
                file.truncate(end)
                raise

    def _cut_off_torn_end(self) -> None:
        with file_lock(self.path):
            whole = max((end for _, end in whole_records(self.path)), default=0)
            if torn := self.path.stat().st_size - whole:
                logger.warning("%s: the last %d bytes, a torn record, are cut off", self.path, torn)
                os.truncate(self.path, whole)
