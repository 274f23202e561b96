"""What device functions take: registers, spills, stack and shared memory, as ptxas and cuobjdump report them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tilelang.backends.artifact import Resources

if TYPE_CHECKING:
    from collections.abc import Mapping

_FUNCTION = re.compile(r"(?:Compiling entry function|Function properties for) '?([$\w]+)'?")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_USAGE = re.compile(r"Function ([$\w]+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)")
_REMARK = re.compile(r"^ptxas (?:info|warning)\s*:\s*(\(C\d+\)\s*)?(?P<text>.*)$", re.MULTILINE)
_ROUTINE = ("bytes gmem", "Compiling entry function", "Function properties", "Used ", "Compile time")


def resources_of_log(log: str) -> dict[str, Resources]:
    """By function, from what ptxas prints with ``-v``. Static shared memory only: dynamic is the launch's."""
    found: dict[str, Resources] = {}
    name = None
    for line in log.splitlines():
        if (match := _FUNCTION.search(line)) is not None:
            name = match[1]
            found.setdefault(name, Resources())
        elif name is None:
            continue
        elif (match := _STACK.search(line)) is not None:
            stack, stores, loads = (int(it) for it in match.groups())
            found[name] = replace(found[name], stack=stack, spill_stores=stores, spill_loads=loads)
        elif (match := _REGISTERS.search(line)) is not None:
            shared = _SHARED.search(line)
            found[name] = replace(
                found[name], registers=int(match[1]), static_shared=int(shared[1]) if shared is not None else 0
            )
    return found


def resources_of_usage(text: str) -> dict[str, Resources]:
    """By function, from what ``cuobjdump -res-usage`` prints. It does not tell spills from other local memory."""
    return {
        name: Resources(registers=int(registers), stack=int(stack), static_shared=int(shared))
        for name, registers, stack, shared, _ in _USAGE.findall(text)
    }


def remarks_of_log(log: str) -> tuple[str, ...]:
    """What the assembler says beside its figures: that it serialised products, or ignored a register limit."""
    texts = (match["text"].strip() for match in _REMARK.finditer(log))
    return tuple(dict.fromkeys(text for text in texts if text and not any(word in text for word in _ROUTINE)))


def with_dynamic(resources: Mapping[str, Resources], name: str, dynamic: int) -> Resources:
    """The resources of one function as it is launched."""
    return replace(resources.get(name, Resources()), dynamic_shared=dynamic)
