"""A suppression comment hides nothing.

## What it does
Reports `# tl: ignore` without rules, and `# tl: ignore[rule]` where no finding of that rule is on the line. Rules that
are turned off or that depend on a target which was not checked do not count.

## Why is this bad?
The comment outlives its reason, and would hide the next real finding on that line.

## Example
```python
T.copy(A[by * 64, 0], tile)  # tl: ignore[copy-shape-mismatch]
```

## Use instead
```python
T.copy(A[by * 64, 0], tile)
```

## Fix safety
The fix deletes the comment, or the one rule in it, or writes the rule that was meant where its name is misspelt. It is
safe: comments have no effect on the program.
"""

from __future__ import annotations

from tilelang.diagnostics import Severity
from tilelang_analyzers.rule import define

RULE = define(__name__, __doc__, group="program", severity=Severity.WARNING, fixable=True)
"""Without a hook: only the engine knows which comments hid something."""
