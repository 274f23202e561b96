"""Features as plain functions from a snapshot and a position to frozen dataclasses. Nothing here knows the protocol."""
