"""From tile IR to TIRX, the per-thread IR of Apache TVM. Only this package, the back ends and the runtime import TVM."""
