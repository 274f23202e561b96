"""Kernels as files: what :func:`tilelang.export` writes and :func:`tilelang.load` runs.

A bundle is a folder with ``manifest.json`` (signature, launches, resources) and the code: ``kernel.cubin`` and
``kernel.ptx`` for CUDA, which load without a compiler; ``kernel.ll``, the language of LLVM, for the CPU.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tilelang.backends.artifact import Argument, Artifact, DeviceKernel, ParamSpec, Resources, Signature
from tilelang.runtime.kernel import CompiledKernel

FORMAT = 1


class BundleError(ValueError):
    """A folder is no bundle, or its files are damaged."""


def export(kernel: CompiledKernel, folder: str | Path) -> Path:
    """Write a kernel to a folder, which is made. Raises ``RuntimeError`` if its code cannot leave this process."""
    artifact = kernel.artifact
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    code = _code(artifact, place)
    signature = asdict(artifact.signature)
    manifest = {
        "format": FORMAT,
        "target": artifact.target,
        "signature": signature,
        "kernels": [asdict(each) for each in artifact.kernels],
        "code": {name: hashlib.sha256((place / name).read_bytes()).hexdigest() for name in code},
    }
    (place / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return place


def _code(artifact: Artifact, place: Path) -> list[str]:
    """Write the code; the names of its files."""
    if artifact.target == "cpu":
        (place / "kernel.ll").write_text(artifact.source, encoding="utf-8")
        return ["kernel.ll"]
    written: list[str] = []
    if artifact.cubin is not None:
        (place / "kernel.cubin").write_bytes(artifact.cubin)
        written.append("kernel.cubin")
    if artifact.ptx is not None:
        (place / "kernel.ptx").write_text(artifact.ptx, encoding="utf-8")
        written.append("kernel.ptx")
    if not written:
        raise RuntimeError(f"the kernel for {artifact.target} has no code that can be exported")
    return written


def load(folder: str | Path) -> CompiledKernel:
    """The kernel of a bundle. Raises :class:`BundleError` if it is not whole."""
    place = Path(folder)
    try:
        manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        code = {name: (place / name).read_bytes() for name in manifest["code"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BundleError(f"{place} is not a bundle of tilelang: {error}") from None
    if manifest.get("format") != FORMAT:
        raise BundleError(f"{place} has the format {manifest.get('format')}, not {FORMAT}: another version wrote it")
    for name, digest in manifest["code"].items():
        if hashlib.sha256(code[name]).hexdigest() != digest:
            raise BundleError(f"{place / name} is damaged: its content is not what the manifest says")
    ptx = code.get("kernel.ptx")
    artifact = Artifact(
        _signature(manifest["signature"]),
        manifest["target"],
        tuple(_kernel(entry) for entry in manifest["kernels"]),
        code.get("kernel.ll", b"").decode(),
        ptx.decode() if ptx is not None else None,
        code.get("kernel.cubin"),
    )
    return CompiledKernel(artifact)


def _signature(entry: dict[str, Any]) -> Signature:
    params = tuple(
        ParamSpec(
            each["name"],
            each["kind"],
            each["dtype"],
            tuple(each["shape"]),
            None if each["strides"] is None else tuple(each["strides"]),
        )
        for each in entry["params"]
    )
    dims = tuple((name, dtype) for name, dtype in entry["dims"])
    assumptions = tuple((formula, text) for formula, text in entry.get("assumptions", ()))
    return Signature(entry["name"], params, dims, tuple(entry["outputs"]), assumptions)


def _kernel(entry: dict[str, Any]) -> DeviceKernel:
    arguments = tuple(
        Argument(each["kind"], each["name"], each["dtype"], tuple(each["shape"])) for each in entry["arguments"]
    )
    grid, block, cluster = entry["grid"], entry["block"], entry["cluster"]
    return DeviceKernel(
        entry["symbol"],
        (grid[0], grid[1], grid[2]),
        (block[0], block[1], block[2]),
        arguments,
        entry["dynamic_shared"],
        None if cluster is None else (cluster[0], cluster[1], cluster[2]),
        Resources(**entry["resources"]),
    )
