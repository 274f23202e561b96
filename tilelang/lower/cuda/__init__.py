"""The per-thread lowering for NVIDIA GPUs: layouts, pipelines and barriers become loads, stores and instructions."""
