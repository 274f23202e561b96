"""Device profiles, read from ``targets.json`` when one is asked for.

Every figure in that file carries the ids of its sources; ``tools/slim_targets.py`` writes it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, cast, get_args

from tilelang.targets.target import Card, Family, LaunchLimits, MatrixInstruction, Registers, SharedMemory, Target

Record = dict[str, Any]

FAMILIES: tuple[Family, ...] = get_args(Family)

T4_ARCH = "sm_75"
"""The arch whose budget is the limit without opt-in: 48 KiB is what a T4 gives every block. Later data-centre GPUs use
their opt-in limit, since every kernel there does."""


@cache
def document() -> Record:
    """The whole file."""
    return json.loads(Path(__file__).with_name("targets.json").read_bytes())


@cache
def archs() -> dict[str, Family]:
    """All arch names with their families, in the order of the file: families together, old devices first."""
    return {arch: family for family in FAMILIES for arch in document()[family]}


@cache
def arch_aliases() -> dict[str, str]:
    """Former names of archs: ``sm_101`` is now ``sm_110``."""
    return {alias: arch for arch, record in document()["cuda"].items() for alias in record["aliases"]}


def card_names() -> tuple[str, ...]:
    """Products with known figures, in the spelling of the file."""
    return tuple(document()["cards"])


@cache
def card(name: str) -> Card:
    """The figures of one product of :func:`card_names`."""
    record: Record = document()["cards"][name]

    def figure(key: str) -> Any:
        return record[key][0] if key in record else None

    return Card(
        name=name,
        arch=record["arch"],
        cores=figure("cores"),
        l2_bytes=figure("l2_bytes"),
        memory_gb=figure("memory_gb"),
        bandwidth_gbs=figure("bandwidth_gbs"),
        peak=tuple((rate, float(value[0])) for rate, value in record["peak"].items()),
    )


@cache
def profile(arch: str) -> Target:
    """The profile of one of :func:`archs`, named by the arch itself."""
    family = archs()[arch]
    record: Record = document()[family][arch]
    limits: Record = {name: value[0] for name, value in record["limits"].items()}
    return Target(
        name=arch,
        arch=arch,
        family=family,
        compiled_as=arch + record.get("suffix", ""),
        shared_memory=_shared_memory(arch, family, limits),
        registers=Registers(
            per_thread=limits.get("max_regs_per_thread"),
            per_block=limits.get("regs_per_block"),
            per_sm=limits.get("regs_per_sm"),
            unit=limits.get("reg_alloc_unit_per_warp", 1),
        ),
        launch=LaunchLimits(
            threads_per_block=limits.get("max_threads_per_block"),
            block_dims=_three(limits.get("block_dim_max")),
            grid_dims=_three(limits.get("grid_dim_max")),
            warp_size=limits.get("warp_size"),
            warps_per_sm=limits.get("max_warps_per_sm"),
            threads_per_sm=limits.get("max_threads_per_sm"),
            blocks_per_sm=limits.get("max_blocks_per_sm"),
            cluster_blocks=_entry(record, "cluster", "portable"),
        ),
        features=frozenset(record["features"].split()),
        instructions=tuple(MatrixInstruction(*row) for row in record["instructions"]),
        held=frozenset(record["held"][0].split()),
        native=frozenset(record["native"].split()),
        products=tuple(record["cards"]),
        tensor_memory_columns=_entry(record, "tmem", "columns"),
        memories=tuple((name, value[0]) for name, value in record.get("memories", {}).items()),
    )


def _shared_memory(arch: str, family: Family, limits: Record) -> SharedMemory:
    optin = limits.get("dynamic_smem_opt_in_per_block")
    without_optin = limits.get("smem_no_opt_in_per_block", optin)
    return SharedMemory(
        budget=without_optin if arch == T4_ARCH else optin,
        static=limits.get("static_smem_per_block"),
        without_optin=without_optin,
        optin=optin,
        per_sm=limits.get("smem_per_sm"),
        reserved=limits.get("reserved_smem_per_block", 0),
        unit=_allocation_unit(arch) if family == "cuda" else 1,
        banks=limits.get("smem_banks"),
    )


def _allocation_unit(arch: str) -> int:
    """Bytes; 256 up to compute capability 7.5, 128 later (NVIDIA's ``cuda_occupancy.h``)."""
    return 256 if arch < "sm_8" and len(arch) == len("sm_75") else 128


def _three(value: list[int] | None) -> tuple[int, int, int] | None:
    return None if value is None else cast("tuple[int, int, int]", tuple(value))


def _entry(record: Record, section: str, key: str) -> int | None:
    """``key`` of a figure that is a mapping where the device has the thing at all."""
    mapping: Record | None = record.get(section, (None,))[0]
    return None if mapping is None else mapping[key]
