"""The TileLang core: language, syntax, abstract evaluation, tile IR, passes and targets."""

__version__ = "0.1.0"
