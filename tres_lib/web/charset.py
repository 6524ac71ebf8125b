"""The encoding of a document that does not name it, guessed from its letters."""

from __future__ import annotations

import re

# What pages without a named encoding are written in, beside UTF-8 and Western European.
CANDIDATES = (
    "cp1251", "koi8_r", "iso8859_5", "cp1253", "cp1255", "cp1256", "tis_620",
    "cp932", "euc_jp", "gb18030", "big5", "cp949",
)  # fmt: skip
WESTERN = "cp1252"
ENOUGH = 20  # bytes outside ASCII; fewer are quotes and accents in a Western text
SAMPLE = 5_000  # bytes that are looked at
FOREIGN = re.compile(rb"[\x80-\xff][^<>]{0,20000}")  # from a letter outside ASCII to the next tag


def guess_encoding(document: bytes) -> str:
    """The likeliest encoding of a document that is not UTF-8; windows-1252 where in doubt.

    Only the text around letters outside ASCII counts, so that markup and
    scripts do not outvote it.
    """
    from charset_normalizer import from_bytes  # takes a while to load, and few pages need it

    sample = b" ".join(_some(document))
    if sum(byte > 127 for byte in sample) < ENOUGH:
        return WESTERN
    best = from_bytes(sample, cp_isolation=[*CANDIDATES, WESTERN]).best()
    return best.encoding if best else WESTERN


def _some(document: bytes) -> list[bytes]:
    found, size = [], 0
    for match in FOREIGN.finditer(document):
        found.append(match[0])
        size += len(match[0])
        if size > SAMPLE:
            break
    return found
