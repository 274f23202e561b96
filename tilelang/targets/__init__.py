"""Devices to check and compile for, as data with sources.

``resolve("t4")`` gives the :class:`Target`; ``parse_target_list("t4,a100,sm_90+")`` gives several;
``read_request({"kind": "cuda", "arch": "sm_90a"})`` reads what a program asks for.
"""

from tilelang.targets.names import (
    DEFAULT_TARGET,
    UnknownTarget,
    cuda_archs,
    expand,
    known_names,
    parse_target_list,
    resolve,
    suggest,
)
from tilelang.targets.occupancy import Limiter, Occupancy, occupancy
from tilelang.targets.profiles import archs, profile
from tilelang.targets.request import TargetRequest, read_request
from tilelang.targets.target import (
    Card,
    DtypeSupport,
    Family,
    LaunchLimits,
    MatrixInstruction,
    Registers,
    SharedMemory,
    Target,
)

__all__ = [
    "DEFAULT_TARGET",
    "Card",
    "DtypeSupport",
    "Family",
    "LaunchLimits",
    "Limiter",
    "MatrixInstruction",
    "Occupancy",
    "Registers",
    "SharedMemory",
    "Target",
    "TargetRequest",
    "UnknownTarget",
    "archs",
    "cuda_archs",
    "expand",
    "known_names",
    "occupancy",
    "parse_target_list",
    "profile",
    "read_request",
    "resolve",
    "suggest",
]
