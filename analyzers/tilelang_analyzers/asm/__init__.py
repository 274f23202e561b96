"""``tilelang asm``: the generated code of kernels beside the Python lines that it comes from."""
