"""Compiling many configurations at a time: in processes of our own, or on any executor that the program passes."""

from __future__ import annotations

import os
import pickle
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from tilelang.live.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Generator

    from tilelang.backends.artifact import Artifact
    from tilelang.frontend.instance import Instance
    from tilelang.targets import Target


def compile_packed(data: bytes) -> bytes:
    """Compile an instance in another process. Data in and out, so that any executor can carry it. The result unpacks to
    an artifact, or to the text of what was refused."""
    from tilelang.runtime.build import build_instance

    instance, target = pickle.loads(data)
    try:
        return pickle.dumps(build_instance(instance, target))
    except CompileError as error:
        return pickle.dumps(str(error))


def unpacked(data: bytes) -> Artifact:
    """The artifact of :func:`compile_packed`. Raises ``RuntimeError`` with the reason if there is none."""
    found: Any = pickle.loads(data)
    if isinstance(found, str):
        raise RuntimeError(found)
    return found


def packed(instance: Instance, target: Target) -> bytes | None:
    """An instance for another process; ``None`` if it holds something that cannot travel, such as a function."""
    from dataclasses import replace

    try:
        return pickle.dumps((replace(instance, reevaluate=None, closure={}), target))
    except (pickle.PicklingError, TypeError, AttributeError):
        return None


@contextmanager
def executor_for(target: Target, count: int, given: Executor | None) -> Generator[Executor]:
    """What compiles: the program's executor; else processes for CUDA, and threads for the CPU, whose code lives in the
    process that made it."""
    if given is not None and target.family != "cpu":
        yield given
        return
    workers = max(1, min(count, _cores()))
    if target.family == "cpu" or workers == 1:
        with ThreadPoolExecutor(workers, "tilelang-tune") as pool:
            yield pool
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield pool


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def submit(pool: Executor, instance: Instance, target: Target) -> Future[Any]:
    """Start one compile. The future gives an artifact, or bytes to unpack."""
    from tilelang.runtime.build import build_instance

    data = None if isinstance(pool, ThreadPoolExecutor) else packed(instance, target)
    if data is not None:
        return pool.submit(compile_packed, data)
    if isinstance(pool, ThreadPoolExecutor):
        return pool.submit(build_instance, instance, target)
    done: Future[Any] = Future()
    try:
        done.set_result(build_instance(instance, target))
    except Exception as error:  # noqa: BLE001  # it belongs to the future
        done.set_exception(error)
    return done
