"""Values of options: TOML files, lists that may be files, hosts that are not public."""

import re
import tomllib
from collections.abc import Iterable
from ipaddress import ip_network
from pathlib import Path
from socket import getaddrinfo
from typing import Any

from tres_lib.web.urls import canonical_url

SEPARATOR = re.compile("[,;，、\n\r]")
WORDS = ("keywords", "seeds", "allow_domain", "deny_domain", "intranet")  # items hold no commas


def items(name: str, values: str | Iterable[str]) -> list[str]:
    """Return the items of texts that may be files of lines, or have commas between."""
    found: list[str] = []
    for value in [values] if isinstance(values, str) else values:
        if not isinstance(value, str):
            raise ValueError(f"{name}: {value!r} is no text")
        if _is_file(value):
            lines = [line for line in _text(Path(value)).splitlines() if line[:1] != "#"]
            found += SEPARATOR.split(",".join(lines)) if name in WORDS else lines
        elif name == "seeds" and "://" not in value:
            raise ValueError(f"seeds: {value!r} is neither a URL, http://..., nor a file here")
        elif name in WORDS:
            found += SEPARATOR.split(value)
        else:
            found.append(value)
    return [item.strip() for item in found if item.strip()]


def networks(intranet: Iterable[str], resolve: bool) -> list[str]:
    """Return the addresses and networks among the items; `resolve`: and those of the host names.

    ValueError for an item of another kind, or a name without an address.
    """
    found: list[str] = []
    for item in intranet:
        if _is_network(item):
            found.append(item)
        elif canonical_url(f"http://{item}/") != f"http://{item.lower()}/":
            remedy = "give a host's name, an address or a network, as in --intranet 10.0.0.0/8"
            raise ValueError(f"intranet={item!r}: {remedy}")
        elif resolve:
            found += _addresses(item)
    return found


def _addresses(host: str) -> list[str]:
    try:
        answers = getaddrinfo(host, None)
    except OSError as error:
        told = f"no address is known ({error.strerror}); check the name, or give --intranet ADDRESS"
        raise ValueError(f"intranet={host!r}: {told}") from None
    return list(dict.fromkeys(str(address[0]).partition("%")[0] for *_, address in answers))


def _is_network(item: str) -> bool:
    try:
        return bool(ip_network(item, strict=False))
    except ValueError:
        return False


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds, by names with underscores; ValueError if it is none."""
    try:
        found = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is no TOML: {error}") from None
    return {name.replace("-", "_"): value for name, value in found.items()}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8; save it as UTF-8") from None


def _is_file(value: str) -> bool:
    try:
        return Path(value).is_file()
    except (OSError, ValueError):  # too long for a name, or with a null character
        return False
