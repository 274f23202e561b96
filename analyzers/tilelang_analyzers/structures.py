"""Work that instances of one structure share.

A tuner's entries, and the same entries for several targets, often build the very same program: of 909 instances in
upstream's gemm examples 326 differ. What one of them got through without a finding need not be checked again for the
others. Instances with findings are checked each, since findings name the values and places of their own instance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilelang.ir.printer import print_program

if TYPE_CHECKING:
    from tilelang.frontend.instance import Instance
    from tilelang.ir.stmt import Launch
    from tilelang.passes import LaunchPlan
    from tilelang.targets import Target
    from tilelang_analyzers.results import TargetResult

    Results = dict[tuple[str, int], TargetResult]


class CleanStructures:
    """The structures of one file that passed, by arch; the arch of rules that do not ask for one is empty."""

    def __init__(self) -> None:
        self._clean: set[tuple[object, str]] = set()
        self._results: dict[object, Results] = {}

    def key(self, instance: Instance) -> object:
        """What rules can tell instances apart by; None if the printed program does not show all of it."""
        if not instance.program.complete:
            return None
        text = print_program(instance.program, lines=True)
        if "…" in text:
            return None
        # Instances of one call differ in the values of the tuner or in the arch only, and so does the kind of their
        # variables, which the text does not show.
        call = (instance.path, instance.line, tuple(link.span for link in instance.chain), instance.origin)
        return (call, instance.jit, instance.certain, text)

    def known(self, key: object, arch: str) -> bool:
        return key is not None and (key, arch) in self._clean

    def note(self, key: object, arch: str, *, clean: bool) -> None:
        """Remember how the rules of one arch went."""
        if clean and key is not None:
            self._clean.add((key, arch))

    def results(self, key: object) -> Results:
        """Figures by arch and launch that instances of the structure share, to be filled by who makes them."""
        return {} if key is None else self._results.setdefault(key, {})


class Plans:
    """Resource plans of one instance, each computed once."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._known: dict[tuple[str, int], LaunchPlan] = {}

    def __call__(self, target: Target, launch: Launch) -> LaunchPlan:
        from tilelang.passes import plan

        key = (target.arch, id(launch))
        if key not in self._known:
            self._known[key] = plan(self._instance.program, launch, target, self._instance.jit.pass_configs)
        return self._known[key]
