"""An entry of the autotuner's list cannot compile or launch.

## What it does
Checks every entry of `configs=` like a call with these values. Whatever would be an error of the budget, a shape, a
dtype or a layout is reported at the entry, with the same figures. If every entry fails on a target, the error stands at
the decorator.

## Why is this bad?
The tuner drops such entries after it has compiled them, which costs its time. If none is left, it fails.

## Example
```python
@tilelang.autotune(configs=[
    {"tile": 64, "stages": 2},
    {"tile": 256, "stages": 4},  # 262 144 B of shared memory
])
```

## Use instead
```python
@tilelang.autotune(configs=[
    {"tile": 64, "stages": 2},
    {"tile": 128, "stages": 3},
])
```

## Targets
An entry may be too large for one target and fit another; the finding names the targets.
"""

from __future__ import annotations

from tilelang.diagnostics import Severity
from tilelang_analyzers.rule import define

RULE = define(__name__, __doc__, group="program", severity=Severity.WARNING)
"""Without a hook: the engine turns the errors of other rules at such entries into findings of this one."""
