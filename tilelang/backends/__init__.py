"""From a tile program to code for one target. Importing this package loads no compiler."""
