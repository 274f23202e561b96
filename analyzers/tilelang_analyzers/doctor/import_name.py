"""Which package ``import tilelang`` gets, where two distributions own that name.

Upstream's distribution ``tilelang`` and this one, ``tilelang-suite``, both install a package ``tilelang``. In one
environment the installed files may come from either, or be mixed. Nothing is imported to find out: this module must
work where ``tilelang`` is the other one.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.machinery
import importlib.metadata
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlparse
from urllib.request import url2pathname

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OWN_DISTRIBUTION = "tilelang-suite"
UPSTREAM_DISTRIBUTION = "tilelang"
PACKAGE = "tilelang"
INIT_FILE = f"{PACKAGE}/__init__.py"

Situation = Literal["own", "own-over-upstream", "upstream-over-own", "upstream", "unknown", "none"]
"""``own``: this package, alone. ``own-over-upstream`` and ``upstream-over-own``: both are installed, the first is what
the import gets. ``upstream``: only the other package. ``unknown``: a package that neither distribution installed.
``none``: no such package."""

_OWN_ENVIRONMENT = (
    "Install the checker in an environment of its own, for example with pipx or `uv tool`: "
    "it reads your files and needs none of your packages."
)


@dataclass(frozen=True, slots=True)
class ImportName:
    """``origin``: the ``__init__.py`` that is imported. ``own`` and ``upstream``: installed versions.

    ``overwritten``: both were installed into one folder, so the files of the one installed first are no longer whole.
    """

    situation: Situation
    origin: str | None
    own: str | None
    upstream: str | None
    overwritten: bool = False

    @property
    def works(self) -> bool:
        """Whether the checker finds its own core here."""
        return self.situation in ("own", "own-over-upstream")

    @property
    def explanation(self) -> str:
        """What is the case and what to do, in sentences."""
        both = f"Upstream's tilelang {self.upstream} and tilelang-suite {self.own} are both installed here."
        if self.overwritten:
            both += (
                " They share one folder: the one installed last overwrote files of the other, which no longer works."
            )
        repair = (
            f"`pip uninstall tilelang-suite`, then `pip install --force-reinstall --no-deps tilelang=={self.upstream}`"
        )
        return {
            "own": "It gets this package.",
            "own-over-upstream": f"{both} It gets this package, so programs written for upstream's run on this one. "
            f"To give them upstream's back: {repair}. {_OWN_ENVIRONMENT}",
            "upstream-over-own": f"{both} It gets upstream's package, so this checker cannot run here. "
            f"To leave upstream's alone: {repair}. {_OWN_ENVIRONMENT}",
            "upstream": f"It gets upstream's package, so this checker cannot run here. {_OWN_ENVIRONMENT}",
            "unknown": "It gets a package that neither distribution installed: a folder or file named `tilelang` "
            "on the import path hides this one. Start from another folder or rename it.",
            "none": "It finds nothing: tilelang-suite is not installed in this environment.",
        }[self.situation]


def inspect_import_name(paths: Sequence[str] | None = None) -> ImportName:
    """What ``import tilelang`` would get on ``paths`` (default: ``sys.path``)."""
    search = list(sys.path if paths is None else paths)
    spec = importlib.machinery.PathFinder.find_spec(PACKAGE, search)
    origin = None if spec is None or spec.origin is None else Path(spec.origin).resolve()
    own = _distribution(OWN_DISTRIBUTION, search)
    upstream = _distribution(UPSTREAM_DISTRIBUTION, search)
    claims = [
        distribution for distribution in (own, upstream) if distribution and origin and _claim(distribution, origin)
    ]
    return ImportName(
        situation=_situation(origin, own, upstream),
        origin=None if origin is None else str(origin),
        own=None if own is None else own.version,
        upstream=None if upstream is None else upstream.version,
        overwritten=len(claims) > 1,
    )


def conflict() -> str | None:
    """Why this checker cannot import its core, for programs that failed to; None if it can."""
    found = inspect_import_name()
    return None if found.works else f"`import {PACKAGE}` does not get this checker's core. {found.explanation}"


def _distribution(name: str, search: Iterable[str]) -> importlib.metadata.Distribution | None:
    return next(iter(importlib.metadata.distributions(name=name, path=list(search))), None)


def _situation(
    origin: Path | None,
    own: importlib.metadata.Distribution | None,
    upstream: importlib.metadata.Distribution | None,
) -> Situation:
    if origin is None:
        return "none"
    own_claim = _claim(own, origin) if own else None
    upstream_claim = _claim(upstream, origin) if upstream else None
    if own_claim and upstream_claim:
        digest = _digest(origin)
        return "upstream-over-own" if digest == upstream_claim and digest != own_claim else "own-over-upstream"
    if own_claim or (own and _editable_root(own) == origin.parent.parent) or _beside_this_file(origin):
        return "own-over-upstream" if upstream else "own"
    if upstream_claim or (upstream and _editable_root(upstream) == origin.parent.parent):
        return "upstream-over-own" if own else "upstream"
    return "unknown"


def _claim(distribution: importlib.metadata.Distribution, origin: Path) -> str | None:
    """The hash under which the distribution lists the imported file; None if it does not list it."""
    for file in distribution.files or ():
        if file.as_posix() == INIT_FILE and Path(str(distribution.locate_file(file))).resolve() == origin:
            return file.hash.value if file.hash else "unhashed"
    return None


def _digest(path: Path) -> str:
    """SHA-256 in the spelling of a wheel's RECORD."""
    return base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()


def _editable_root(distribution: importlib.metadata.Distribution) -> Path | None:
    """The source tree of an editable installation."""
    text = distribution.read_text("direct_url.json")
    record: dict[str, Any] = json.loads(text) if text else {}
    if not record.get("dir_info", {}).get("editable"):
        return None
    url: str = record["url"]
    return Path(url2pathname(urlparse(url).path)).resolve()


def _beside_this_file(origin: Path) -> bool:
    """Whether the import gets the core that lies in the same source tree or the same folder as this very file."""
    analyzers = Path(__file__).resolve().parents[1]
    return origin.parent in (analyzers.with_name(PACKAGE), analyzers.parent.with_name(PACKAGE))
