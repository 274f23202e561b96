"""Which targets an instance is checked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tilelang.targets import DEFAULT_TARGET, parse_target_list, read_request, resolve
from tilelang_analyzers.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tilelang.frontend.instance import Instance
    from tilelang.targets import Target
    from tilelang_analyzers.settings import Settings


@dataclass(frozen=True, slots=True)
class TargetChoice:
    """``chosen``: the targets of the command line, the editor or the settings; None if nobody chose. ``optin`` says by
    arch whether blocks ask the driver for the larger limit of shared memory, where the settings say so."""

    chosen: tuple[Target, ...] | None
    optin: Mapping[str, bool] = field(default_factory=dict[str, bool])

    def of(self, instance: Instance) -> tuple[tuple[Target, ...], bool]:
        """The targets of one instance, and whether they were assumed since nothing names one."""
        request = read_request(instance.jit.target) if instance.jit.target is not None else None
        if self.chosen is None:
            named = _named_by_program(instance, request.target if request else None)
            return (self.configured(named or _default()),), named is None
        return tuple(
            target
            for target in self.chosen
            if (request is None or request.accepts(target))
            and (instance.requires is None or target.arch in instance.requires)
            and instance.arch in (None, target.arch)
        ), False

    def configured(self, target: Target) -> Target:
        """The target with the options that the settings give it."""
        optin = self.optin.get(target.arch)
        if optin is None:
            return target
        memory = target.shared_memory
        return replace(target, shared_memory=replace(memory, budget=memory.optin if optin else memory.without_optin))


def choose(settings: Settings) -> TargetChoice:
    """The targets of the settings. Raises :class:`SettingsError` for a name that no target has."""
    choice = TargetChoice(None, _optin(settings.targets))
    for name in settings.per_target_ignores:
        for problem in parse_target_list(settings.expanded([name]))[1]:
            origin = settings.origins.get("per-target-ignores", "")
            raise SettingsError(f"{f'{origin}: ' if origin else ''}`per-target-ignores`: {problem.message}")
    names = settings.target_names()
    if not names:
        return choice
    targets, unknown = parse_target_list(names)
    for problem in unknown:
        origin = settings.origins.get("target", "")
        raise SettingsError(f"{origin}: {problem.message}" if origin.endswith(".toml") else problem.message)
    return replace(choice, chosen=tuple(choice.configured(target) for target in targets))


def _named_by_program(instance: Instance, requested: Target | None) -> Target | None:
    if requested is not None:
        return requested
    if instance.arch is not None:
        return resolve(instance.arch)
    if instance.requires and DEFAULT_TARGET not in instance.requires:
        return resolve(instance.requires[0])
    return None


def _default() -> Target:
    target = resolve(DEFAULT_TARGET)
    assert target is not None
    return target


def _optin(tables: Mapping[str, Mapping[str, bool]]) -> dict[str, bool]:
    optin: dict[str, bool] = {}
    for name, options in tables.items():
        target = resolve(name)
        if target is None:
            raise SettingsError(f"`targets`: unknown target {name!r}")
        if "shared-memory-optin" in options:
            optin[target.arch] = options["shared-memory-optin"]
    return optin
