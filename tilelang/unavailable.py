"""What stands for the parts of upstream that need a compiler back end."""

from __future__ import annotations

from typing import Any, NoReturn


class CompilerUnavailableError(NotImplementedError):
    """A program asked for something that needs a compiler back end."""


def no_compiler(name: str) -> NoReturn:
    """Raise the error that says so, and what works today."""
    raise CompilerUnavailableError(
        f"{name} needs a compiler back end, which this version does not have. "
        "To check the kernels of a file without one: tilelang-check FILE"
    )


class Unavailable:
    """An upstream module or object that is known by name. Its attributes are of the same kind; calling one raises."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Unavailable:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unavailable(f"{self._name}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        no_compiler(self._name)

    def __repr__(self) -> str:
        return f"<unavailable {self._name}>"
