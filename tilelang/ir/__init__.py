"""The tile IR: frozen dataclasses with source spans, and what walks, prints and checks them."""
