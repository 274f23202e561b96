"""The TileLang core: language, syntax, abstract evaluation, tile IR, passes and targets."""

__version__ = "0.1.0"

__distribution__ = "tilelang-suite"
"""Upstream's package has the same import name; this tells the two apart."""
