"""CUDA C++ text, PTX and machine code for NVIDIA GPUs. No toolkit and no GPU is needed to compile."""
