"""Compiled kernels in a running program: arguments, launches, caches and bundles. Imports nothing heavy by itself."""
