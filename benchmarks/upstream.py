"""Imports upstream TileLang and lowers the kernel of ``examples/gemm.py`` for sm_80; prints the seconds as JSON.

Started by ``run.py`` with the Python of an environment that has upstream. Nothing of this repository may be on the
path, since both own the name ``tilelang``.

    UPSTREAM_PYTHON -I benchmarks/upstream.py examples/gemm.py
"""

from __future__ import annotations

import json
import runpy
import sys
import time


def main(example: str) -> None:
    began = time.perf_counter()
    import tilelang
    from tilelang import tvm  # type: ignore[attr-defined]  # upstream's name

    imported = time.perf_counter()
    program = runpy.run_path(example)["matmul"].get_tir(1024, 1024, 1024)
    built = time.perf_counter()
    target = {"kind": "cuda", "arch": "sm_80"}
    with tvm.target.Target(target), tvm.transform.PassContext(opt_level=3):
        tilelang.lower(program, target=target)  # type: ignore[attr-defined]  # upstream's name
    lowered = time.perf_counter()
    print(json.dumps({"import": imported - began, "build": built - imported, "lower": lowered - built}))


if __name__ == "__main__":
    main(sys.argv[1])
