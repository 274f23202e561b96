"""Text that is valid in the formats for programs, whatever the checked files hold.

Messages and paths may contain control characters, lone surrogates (from file names that are not UTF-8) and numbers that
JSON does not have. A renderer passes its strings through here, so that every reader gets a document it can parse.
"""

from __future__ import annotations

import json
import math
import re
from typing import cast

_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Everything outside the characters that XML 1.0 allows."""
_SPACE = re.compile(r"\s+")


def valid_text(text: str) -> str:
    """Text that can be encoded in UTF-8: lone surrogates become U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def xml_text(text: str) -> str:
    """Text that an XML 1.0 document can hold. Markup is left to the writer of the XML."""
    return _NOT_XML.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Text on one line: runs of white space, line ends included, become one space."""
    return _SPACE.sub(" ", text).strip()


def json_text(document: object, indent: int | None = 2) -> str:
    """A document as ASCII JSON that strict readers take: no lone surrogates, no NaN, keys in the order given."""
    separators = (",", ":") if indent is None else None
    return json.dumps(_scrubbed(document), indent=indent, separators=separators, allow_nan=False)


def _scrubbed(value: object) -> object:
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [_scrubbed(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {_scrubbed(key): _scrubbed(item) for key, item in cast("dict[object, object]", value).items()}
    return value
