"""Install pip from PyPI into the environment that runs this script, for Pythons without ensurepip.

Reads the index of `PIP_INDEX_URL` (default: PyPI) through the JSON form of the simple API, checks the wheel's SHA-256
and lets the wheel install itself. Uses the standard library only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import runpy
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

JSON_INDEX = "application/vnd.pypi.simple.v1+json"
FINAL_WHEEL = re.compile(r"pip-(\d+(?:\.\d+)*)-py3-none-any\.whl")


def newest_wheel(files: list[dict[str, Any]]) -> dict[str, Any]:
    """The entry of the newest final release that has not been withdrawn."""
    candidates: list[tuple[tuple[int, ...], dict[str, Any]]] = []
    for entry in files:
        match = FINAL_WHEEL.fullmatch(entry["filename"])
        if match and not entry.get("yanked"):
            candidates.append((tuple(map(int, match[1].split("."))), entry))
    return max(candidates, key=lambda candidate: candidate[0])[1]


def read(url: str, accept: str = "*/*") -> bytes:
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=60) as response:
        return response.read()


def main() -> None:
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    entry = newest_wheel(json.loads(read(index, JSON_INDEX))["files"])
    wheel = read(urllib.parse.urljoin(index, entry["url"]))
    if hashlib.sha256(wheel).hexdigest() != entry["hashes"]["sha256"]:
        sys.exit(f"{entry['filename']}: checksum differs from the index")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / entry["filename"]
        path.write_bytes(wheel)
        sys.path.insert(0, str(path))
        sys.argv = ["pip", "install", "--quiet", "--no-deps", "--no-index", str(path)]
        runpy.run_module("pip", run_name="__main__")


if __name__ == "__main__":
    main()
