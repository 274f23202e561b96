"""How ``#line`` directives spell the paths of source files.

NVRTC writes other bytes than ASCII as octal escapes into PTX, and its assembler takes their backslashes for folders. So
such characters are percent-encoded on the way in, and known by that name on the way out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Collection

_PLAIN = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\%')


def written_path(path: str) -> str:
    """A path as directives have it: printable ASCII without quotes and backslashes."""
    return quote(path, safe=_PLAIN)


def by_written_path(paths: Collection[str]) -> dict[str, str]:
    """Paths by themselves and by what directives make of them."""
    return {**{path: path for path in paths}, **{written_path(path): path for path in paths}}
