"""Targets by the names people use: cards, archs, families, groups and ranges.

Names are matched without regard to case, spaces, hyphens, underscores and vendor words, so ``NVIDIA GeForce RTX 4090``,
``rtx-4090`` and ``rtx4090`` are one name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from tilelang.targets import profiles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tilelang.targets.target import Family, Target

DEFAULT_TARGET = "sm_80"
"""What is checked when neither the user, the project nor the file names a target."""

_CARDS_BY_NAME = {
    "v100": "V100-SXM2",
    "a100": "A100-80-SXM",
    "a100-40gb": "A100-40",
    "a100-80gb": "A100-80-SXM",
    "h100": "H100-SXM",
    "rtx-pro-6000": "RTX-PRO-6000-Blackwell",
    "dgx-spark": "GB10",
    "orin": "Jetson-AGX-Orin-64",
    "jetson-orin": "Jetson-AGX-Orin-64",
    "thor": "Jetson-Thor-T5000",
    "jetson-thor": "Jetson-Thor-T5000",
}
"""Short names of the products with figures. Where a name covers several boards, the most common one stands for it."""

_ARCHS_BY_CARD = {
    "sm_70": ("titan-v",),
    "sm_72": ("xavier", "jetson-xavier"),
    "sm_75": ("rtx-20", "quadro-rtx-6000", "titan-rtx"),
    "sm_80": ("a30", "a800"),
    "sm_86": ("a2", "a16", "a40", "a5000", "a6000", "rtx-a6000", "rtx-30"),
    "sm_89": ("l20", "l40", "rtx-40", "rtx-6000-ada"),
    "sm_90": ("gh200", "h800", "h100-nvl"),
    "sm_100": ("gb200",),
    "sm_103": ("gb300",),
    "sm_120": ("rtx-50",),
    "gfx906": ("mi50", "mi60"),
    "gfx908": ("mi100",),
    "gfx90a": ("mi210", "mi250", "mi250x"),
    "gfx942": ("mi300", "mi300a", "mi308x", "mi325x"),
    "gfx950": ("mi350x",),
    "gfx1100": ("rx-7900-xt", "w7900"),
    "gfx1101": ("rx-7700", "rx-7700-xt", "rx-7800-xt"),
    "gfx1102": ("rx-7600", "rx-7600-xt"),
    "gfx1150": ("890m", "strix"),
    "gfx1151": ("8060s", "strix-halo"),
    "gfx1200": ("rx-9060", "rx-9060-xt"),
    "gfx1201": ("rx-9070", "r9700"),
    "apple7": ("m1",),
    "apple8": ("m2",),
    "apple9": ("m3", "m4"),
    "apple10": ("m5",),
    "ascend910b": ("910b", "910b1", "910b2", "910b3", "910b4", "atlas-a2"),
    "ascend910c": ("910c", "atlas-a3"),
    "ascend950": ("950pr", "950dt", "atlas-a5"),
}
"""Products whose arch is known but not their figures."""

_ARCHS_BY_FAMILY = {
    "cuda": DEFAULT_TARGET,
    "nvidia": DEFAULT_TARGET,
    "cutedsl": DEFAULT_TARGET,
    "rocm": "gfx942",
    "hip": "gfx942",
    "amd": "gfx942",
    "metal": "apple7",
    "apple": "apple7",
    "ascend": "ascend910b",
    "npu": "ascend910b",
    "c": "cpu",
    "llvm": "cpu",
    "x86-64": "cpu",
    "aarch64": "cpu",
}
"""The arch that stands for a whole family: the usual data-centre device, or the least that every device has."""

_GROUPS: dict[str, tuple[Family, ...]] = {
    "all": profiles.FAMILIES,
    "all-nvidia": ("cuda",),
    "all-cuda": ("cuda",),
    "all-amd": ("rocm",),
    "all-rocm": ("rocm",),
    "all-apple": ("metal",),
    "all-metal": ("metal",),
    "all-ascend": ("ascend",),
}

_GEFORCE_ARCHS = {"20": "sm_75", "30": "sm_86", "40": "sm_89", "50": "sm_120"}

_VENDOR_WORDS = re.compile(
    r"\b(?:nvidia|geforce|tesla|amd|radeon|instinct|apple|huawei)\b[\s/_-]*|^ascend[\s_-]*(?=\d)"
)
_BOARD_WORDS = re.compile(r"[\s_-](?:sxm\d?|\d+\s?gb|hbm\d?e?|pcie)\b")
_CUDA_ARCH = re.compile(r"(?:sm|compute|cc)?[_-]?(\d{1,2})\.?(\d)[af]?")
_RANGE = re.compile(r"(?P<low>[\w.]+?)(?:\+|\.\.(?P<high>[\w.]+))")


@dataclass(frozen=True, slots=True)
class UnknownTarget:
    """A name that no target has, with near ones."""

    name: str
    suggestions: tuple[str, ...]

    @property
    def message(self) -> str:
        hint = f"; did you mean {' or '.join(self.suggestions)}?" if self.suggestions else ""
        return f"unknown target {self.name!r}{hint}"


@cache
def resolve(name: str) -> Target | None:
    """The target of a card (``t4``), arch (``sm_75``, ``7.5``, ``gfx942``) or family (``cuda``), or None."""
    plain = name.strip().lower()
    if plain in profiles.archs():
        return profiles.profile(plain)
    if arch := _cuda_arch(plain) or _amd_arch(plain):
        return profiles.profile(arch)
    if plain == "auto":
        return profiles.profile(DEFAULT_TARGET)
    if plain in _ARCHS_BY_FAMILY:
        return _named(plain, _ARCHS_BY_FAMILY[plain])
    product = _product(plain)
    if product is None:
        return None
    target = _named(product.spelling, product.arch)
    return target if product.card is None else replace(target, card=profiles.card(product.card))


def suggest(name: str, count: int = 3) -> tuple[str, ...]:
    """Known names near a wrong one, the nearest first."""
    import difflib  # needed for wrong names only

    return tuple(difflib.get_close_matches(name.strip().lower(), known_names(), count))


@cache
def known_names() -> tuple[str, ...]:
    """Every arch, card, family and group, in usual spelling."""
    products = (product.spelling for product in _products().values())
    return tuple(dict.fromkeys((*profiles.archs(), *products, *_ARCHS_BY_FAMILY, *_GROUPS)))


def parse_target_list(names: str | Iterable[str]) -> tuple[tuple[Target, ...], tuple[UnknownTarget, ...]]:
    """Targets of ``"t4,a100,sm_90+,all-amd"`` or of a list of such names, and the names that nothing has.

    An arch appears once, under the name that came first: findings are counted by arch.
    """
    parts = names.split(",") if isinstance(names, str) else names
    targets: dict[str, Target] = {}
    unknown: list[UnknownTarget] = []
    for part in (part.strip() for part in parts):
        found = expand(part)
        for target in found:
            targets.setdefault(target.arch, target)
        if part and not found:
            unknown.append(UnknownTarget(part, suggest(part)))
    return tuple(targets.values()), tuple(unknown)


def expand(name: str) -> tuple[Target, ...]:
    """The targets of one name, group (``all-nvidia``) or range (``sm_90+``, ``sm_80..sm_90``); empty if unknown."""
    plain = name.strip().lower()
    if plain in _GROUPS:
        return tuple(profiles.profile(arch) for arch, family in profiles.archs().items() if family in _GROUPS[plain])
    if match := _RANGE.fullmatch(plain):
        return _range(match["low"], match["high"])
    target = resolve(plain)
    return () if target is None else (target,)


def cuda_archs(low: tuple[int, int] = (0, 0), high: tuple[int, int] = (99, 9)) -> tuple[str, ...]:
    """CUDA archs between two compute capabilities, both included."""
    cuda = (profiles.profile(arch) for arch, family in profiles.archs().items() if family == "cuda")
    return tuple(target.arch for target in cuda if low <= (target.compute_capability or (0, 0)) <= high)


def _range(low: str, high: str | None) -> tuple[Target, ...]:
    first = resolve(low)
    last = first if high is None else resolve(high)
    if first is None or last is None or first.compute_capability is None or last.compute_capability is None:
        return ()
    archs = cuda_archs(first.compute_capability, (99, 9) if high is None else last.compute_capability)
    return tuple(profiles.profile(arch) for arch in archs)


def _cuda_arch(name: str) -> str | None:
    """``sm_90`` for ``sm_90a``, ``sm90``, ``9.0`` and ``compute_90``."""
    match = _CUDA_ARCH.fullmatch(name)
    if match is None or name.isdigit():
        return None
    arch = f"sm_{match[1]}{match[2]}"
    arch = profiles.arch_aliases().get(arch, arch)
    return arch if arch in profiles.archs() else None


def _amd_arch(name: str) -> str | None:
    """``gfx942`` for ``gfx942:sramecc+:xnack-``."""
    arch = name.partition(":")[0]
    return arch if arch.startswith("gfx") and arch in profiles.archs() else None


@dataclass(frozen=True, slots=True)
class _Product:
    """``spelling``: how the name is usually written. ``card``: the product whose figures apply, if they are known."""

    spelling: str
    arch: str
    card: str | None = None


def _key(name: str) -> str:
    """What two spellings of one product share."""
    return re.sub(r"[\s_/-]", "", _VENDOR_WORDS.sub("", name))


@cache
def _products() -> dict[str, _Product]:
    """All products by key."""
    products: dict[str, _Product] = {}
    for arch, spellings in _ARCHS_BY_CARD.items():
        products.update({_key(spelling): _Product(spelling, arch) for spelling in spellings})
    own = {card.lower(): card for card in profiles.card_names()}
    for spelling, card in {**own, **_CARDS_BY_NAME}.items():
        products[_key(spelling)] = _Product(spelling, profiles.card(card).arch, card)
    return products


def _product(name: str) -> _Product | None:
    """The product itself, its product line, or the product without the words for its memory and its socket."""
    key = _key(name)
    return _products().get(key) or _series(key) or _products().get(_key(_BOARD_WORDS.sub("", name)))


def _series(key: str) -> _Product | None:
    """Members of a product line that the tables do not list one by one."""
    if match := re.fullmatch(r"rtx(\d\d)\d\d(?:ti|super|d|laptopgpu)*", key):
        arch = _GEFORCE_ARCHS.get(match[1])
        return None if arch is None else _Product(key, arch)
    if match := re.fullmatch(r"(m[1-9])(?:pro|max|ultra)", key):
        chip = _products().get(match[1])
        return None if chip is None else _Product(key, chip.arch)
    return None


def _named(name: str, arch: str) -> Target:
    return replace(profiles.profile(arch), name=name)
