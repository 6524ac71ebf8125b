"""Values of options, from flags and from TOML: their types, lists that may be files, hosts."""

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
CONTACT = re.compile(r"\S@\S|https?://\S")
TYPES: dict[Any, tuple[tuple[type, ...], str]] = {  # of fields: what may stand for them, in words
    str: ((str,), "a text"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
    tuple[str, ...]: ((str, list, tuple), "a list of texts"),
}


def typed(name: str, value: Any, kind: Any) -> Any:
    """Return the value; ValueError unless it may stand for a field of this type."""
    taken, wanted = TYPES[kind]
    if not isinstance(value, taken) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{name}={value!r}: give {wanted}")
    return value


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


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds; ValueError if it is none."""
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is no TOML: {error}") from None


def networks(intranet: Iterable[str], resolve: bool) -> list[str]:
    """Return the addresses and networks among the items, and the addresses of the host names.

    Parameters
    ----------
    intranet : iterable of str
        Addresses, networks and host names; ValueError for another.
    resolve : bool
        Whether to ask for the names' addresses, ValueError if one has none; else they are left out.
    """
    found: list[str] = []
    for item in intranet:
        if _is_network(item):
            found.append(item)
        elif canonical_url(f"http://{item}/") != f"http://{item.lower()}/":
            told = "give a host's name, an address or a network, as in --intranet 10.0.0.0/8"
            raise ValueError(f"intranet={item!r}: {told}")
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
