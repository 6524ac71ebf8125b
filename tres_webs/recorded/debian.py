"""Debian's archives (.deb), read in pure Python; nothing in them is written to disk."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ..parsing import MAX_HTML
from .recording import HTML_FILES

AR = b"!<arch>\n"
MAX_UNPACKED = 2**33  # bytes of an archive's files, all together
MAX_PACKED = 2**30


def html_files(archive: Path, root: str = "/") -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each HTML file below a folder of an archive, in its order.

    Links, and paths that climb, are left out; a long file is cut as `parse_page` cuts it.
    ValueError if the archive is damaged, unpacks to over 8 GB or is packed otherwise (zstd).
    """
    try:
        with archive.open("rb") as file:
            data = io.BytesIO(_data(file))
        with tarfile.open(fileobj=data, mode="r|*") as tar:
            for member in tar:
                if member.offset_data + member.size > MAX_UNPACKED:
                    raise ValueError("it unpacks to too much")
                path = "/" + member.name.removeprefix("./")
                if member.isreg() and _is_html(path, root) and (found := tar.extractfile(member)):
                    yield path, found.read(MAX_HTML + 1)
    except (OSError, EOFError, ValueError, tarfile.TarError) as error:
        raise ValueError(f"{archive.name} cannot be read: {error}") from error


def _is_html(path: str, root: str) -> bool:
    parts = PurePosixPath(path)
    return path.startswith(root) and ".." not in parts.parts and parts.suffix.lower() in HTML_FILES


def _data(file: BinaryIO) -> bytes:
    """Return the packed tree of files, the member data.tar.* of the outer archive (ar)."""
    if file.read(len(AR)) != AR:
        raise ValueError("it is no Debian archive")
    while len(header := file.read(60)) == 60:
        name, size = header[:16].decode("latin-1").strip(" /"), int(header[48:58])
        if not 0 <= size <= MAX_PACKED:
            raise ValueError(f"{name} has {size} bytes")
        if name.startswith("data.tar"):
            if name.endswith(".zst"):
                raise ValueError("it is packed with zstd, which Python 3.11 cannot unpack")
            return file.read(size)
        file.seek(size + size % 2, io.SEEK_CUR)
    raise ValueError("it has no data")
