"""What a tuner found out, as a table and on disk."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tilelang.tuning.space import text

if TYPE_CHECKING:
    from tilelang.runtime.kernel import JITKernel

State = Literal["ok", "refuted", "failed", "wrong", "slow"]
"""``refuted``: the checks say that it cannot work, so it was not compiled. ``failed``: it did not compile or run.
``wrong``: its results differ from the reference. ``slow``: measuring stopped early, since another is faster."""


@dataclass(frozen=True)
class Trial:
    """One configuration. ``latency`` is in milliseconds."""

    config: dict[str, Any]
    state: State
    latency: float | None = None
    reason: str = ""


@dataclass
class TuneResult:
    """The fastest kernel and every trial. ``from_cache``: an earlier run chose the configuration."""

    config: dict[str, Any]
    latency: float
    trials: list[Trial] = field(default_factory=list[Trial])
    kernel: JITKernel | None = None
    ref_latency: float | None = None
    from_cache: bool = False

    @property
    def libcode(self) -> str:
        """The generated code of the fastest kernel."""
        return self.kernel.get_kernel_source() if self.kernel is not None else ""

    def table(self) -> str:
        """All trials, the fastest first."""
        ordered = sorted(self.trials, key=lambda trial: (trial.latency is None, trial.latency or 0.0))
        rows = [("ms", "state", "configuration", "")]
        rows += [
            ("" if trial.latency is None else f"{trial.latency:.4f}", trial.state, text(trial.config), trial.reason)
            for trial in ordered
        ]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = (
            f"{ms:>{widths[0]}}  {state:<{widths[1]}}  {config:<{widths[2]}}  {why}".rstrip()
            for ms, state, config, why in rows
        )
        return "\n".join(lines)


# --- on disk ----------------------------------------------------------------------------------------------------------


def folder() -> Path:
    """Where results are kept, beside the compiled kernels."""
    from tilelang.runtime.cache import folder as kernels

    return kernels().parent / "tuning"


def load(key: str) -> TuneResult | None:
    """The result of an earlier run; ``None`` if there is none or it is damaged."""
    try:
        entry = json.loads((folder() / f"{key}.json").read_text(encoding="utf-8"))
        trials = [Trial(each["config"], each["state"], each["latency"], each["reason"]) for each in entry["trials"]]
        return TuneResult(entry["config"], float(entry["latency"]), trials, None, entry["ref_latency"], True)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def store(key: str, result: TuneResult) -> None:
    """Keep a result. One whose values are no plain data, or a disk that cannot be written, is left out."""
    entry = {
        "config": result.config,
        "latency": result.latency,
        "ref_latency": result.ref_latency,
        "trials": [vars(trial) for trial in result.trials],
    }
    with suppress(OSError, TypeError, ValueError):
        data = json.dumps(entry, indent=1)
        if json.loads(data)["config"] != result.config:
            return
        folder().mkdir(parents=True, exist_ok=True)
        descriptor, aside = tempfile.mkstemp(dir=folder(), prefix=".new-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(data)
        Path(aside).replace(folder() / f"{key}.json")
