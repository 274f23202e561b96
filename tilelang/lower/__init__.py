"""From tile IR to TIRX, the per-thread IR of Apache TVM. Only it, the back ends and the runtime import TVM."""
