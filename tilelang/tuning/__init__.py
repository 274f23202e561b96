"""The tuner's parts: configurations, the search, measuring, results on disk. The public names are in
:mod:`tilelang.autotuner`."""
