"""Launching CUDA kernels through the driver.

Each device has its own loaded module. A launch is prepared once for each combination of shapes: what remains for a call
is to collect the addresses.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tilelang.ir.dtype import DType
from tilelang.runtime.arrays import loaded
from tilelang.runtime.devices import check, driver
from tilelang.runtime.encode import bits_of
from tilelang.runtime.formula import value_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tilelang.backends.artifact import Artifact, DeviceKernel

STATIC_LIMIT = 48 * 1024
"""Dynamic shared memory that a kernel may use without asking."""


@dataclass(frozen=True, slots=True)
class PreparedKernel:
    """One device function with everything that does not change between calls of the same shapes. ``slots``: for each
    argument the position of the parameter it is, or ``-1``; ``values``: the bits of those that are no parameters.
    ``workspaces``: slots of device memory that a launch allocates, with their bytes."""

    function: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    cluster: tuple[int, int, int] | None
    slots: tuple[int, ...]
    values: tuple[int, ...]
    workspaces: tuple[tuple[int, int], ...]


class CudaModule:
    """The device code of an artifact on one device."""

    def __init__(self, artifact: Artifact, device: int) -> None:
        self._artifact = artifact
        self._driver = driver()
        self.device = device
        activate(device)
        image = artifact.cubin if self._runs_cubin() else artifact.ptx
        if image is None:
            raise RuntimeError(f"the kernel is compiled for {artifact.target} without code that this GPU can run")
        data = image.encode() + b"\0" if isinstance(image, str) else image
        self._module = check(self._driver.cuModuleLoadData(data))
        self._functions = [self._function(kernel) for kernel in artifact.kernels]

    def _runs_cubin(self) -> bool:
        """A cubin runs on the GPUs of its major version with at least its minor one; others take the PTX."""
        from tilelang.runtime.devices import cuda_archs

        if self._artifact.cubin is None:
            return False
        have, want = cuda_archs()[self.device][3:], self._artifact.target.removeprefix("sm_").rstrip("af")
        return have[:-1] == want[:-1] and have[-1] >= want[-1]

    def _function(self, kernel: DeviceKernel) -> int:
        function = check(self._driver.cuModuleGetFunction(self._module, kernel.symbol.encode()))
        attributes = self._driver.CUfunction_attribute
        if kernel.dynamic_shared > STATIC_LIMIT:
            attribute = attributes.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(self._driver.cuFuncSetAttribute(function, attribute, kernel.dynamic_shared))
        if kernel.cluster is not None and kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2] > 8:
            attribute = attributes.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            check(self._driver.cuFuncSetAttribute(function, attribute, 1))
        return int(function)

    def prepare(self, dims: Mapping[str, Any]) -> tuple[PreparedKernel, ...]:
        """The launches of the program for these sizes. Raises ``ValueError`` for a grid that is empty: the driver does
        not launch it."""
        made: list[PreparedKernel] = []
        places = {param.name: i for i, param in enumerate(self._artifact.signature.params)}
        for kernel, function in zip(self._artifact.kernels, self._functions, strict=True):
            grid = tuple(value_of(extent, dims) for extent in kernel.grid)
            if min(grid) < 1:
                raise ValueError(f"zero grid dim: {kernel.symbol} would be launched with the grid {grid}")
            slots: list[int] = []
            values: list[int] = []
            workspaces: list[tuple[int, int]] = []
            for slot, argument in enumerate(kernel.arguments):
                slots.append(places[argument.name] if argument.kind == "param" else -1)
                known = bits_of(dims[argument.name], argument.dtype) if argument.kind == "dim" else 0
                values.append(known)
                if argument.kind == "workspace":
                    count = 1
                    for extent in argument.shape:
                        count *= value_of(extent, dims)
                    workspaces.append((slot, DType(argument.dtype).bytes_of(count)))
            made.append(
                PreparedKernel(
                    function,
                    (grid[0], grid[1], grid[2]),
                    kernel.block,
                    kernel.dynamic_shared,
                    kernel.cluster,
                    tuple(slots),
                    tuple(values),
                    tuple(workspaces),
                )
            )
        return tuple(made)

    def launch(self, kernels: Sequence[PreparedKernel], bits: Sequence[int], stream: int) -> None:
        """Queue the launches. ``bits``: the value of each parameter, an address or the bits of a scalar."""
        for kernel in kernels:
            count = len(kernel.slots)
            words = [
                bits[slot] if slot >= 0 else known for slot, known in zip(kernel.slots, kernel.values, strict=True)
            ]
            memory = [check(self._driver.cuMemAllocAsync(max(size, 1), stream)) for _, size in kernel.workspaces]
            for (slot, _), address in zip(kernel.workspaces, memory, strict=True):
                words[slot] = int(address)
            values = (ctypes.c_uint64 * count)(*words)
            first = ctypes.addressof(values)
            pointers = (ctypes.c_void_p * count)(*range(first, first + 8 * count, 8))
            self._start(kernel, ctypes.addressof(pointers), stream)
            for address in memory:
                check(self._driver.cuMemFreeAsync(address, stream))

    def _start(self, kernel: PreparedKernel, arguments: int, stream: int) -> None:
        binding = self._driver
        if kernel.cluster is None:
            (status,) = binding.cuLaunchKernel(
                kernel.function, *kernel.grid, *kernel.block, kernel.shared, stream, arguments, 0
            )
        else:
            (status,) = binding.cuLaunchKernelEx(self._config(kernel, stream), kernel.function, arguments, 0)
        if status:
            check((status,))

    def _config(self, kernel: PreparedKernel, stream: int) -> Any:
        binding = self._driver
        assert kernel.cluster is not None
        attribute = binding.CUlaunchAttribute()
        attribute.id = binding.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        shape = attribute.value.clusterDim
        shape.x, shape.y, shape.z = kernel.cluster
        config = binding.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = kernel.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = kernel.block
        config.sharedMemBytes = kernel.shared
        config.hStream = stream
        config.attrs, config.numAttrs = [attribute], 1
        return config


@cache
def _context(device: int) -> Any:
    """The primary context of a device, which PyTorch and CuPy use, too. It is kept for the life of the process."""
    binding = driver()
    return check(binding.cuDevicePrimaryCtxRetain(check(binding.cuDeviceGet(device))))


def activate(device: int) -> None:
    """Make a device's context current in this thread."""
    check(driver().cuCtxSetCurrent(_context(device)))


def current_stream(device: int) -> int:
    """The stream that the program's library works on: PyTorch's or CuPy's current one, else the default stream."""
    torch = loaded("torch")
    if torch is not None and torch.cuda.is_initialized():
        return int(torch._C._cuda_getCurrentRawStream(device))
    cupy = loaded("cupy")
    return int(cupy.cuda.get_current_stream().ptr) if cupy is not None else 0
