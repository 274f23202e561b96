"""Tile IR as code of one CPU thread for each block: tile operations are loop nests over whole tiles."""
