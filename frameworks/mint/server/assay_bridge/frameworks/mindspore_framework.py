"""MindSpore in pynative mode, every kernel waited for."""

import contextlib
from collections.abc import Sequence
from typing import Any, Callable, Optional

from ..dtypes import ALL, BY_NAME, Dtype
from ..failures import UNSUPPORTED, Failure
from ..memory import copy_from
from .base import Framework, Info, TensorInfo, tensor_info

# NumPy has no such types: their bits cross as integers of the same width.
_BITS = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}
_MEMORY_FORMATS = ("contiguous_format", "channels_last", "channels_last_3d", "preserve_format")


class MindSporeFramework(Framework):
    def start(self) -> Info:
        import mindspore
        import numpy
        from mindspore.common.api import _pynative_executor

        self._ms, self._np = mindspore, numpy
        self._tensor_class = mindspore.Tensor
        self._executor = _pynative_executor
        mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
        _wait_for_kernels(mindspore)
        self._objects: dict[str, Any] = {}
        for dtype in ALL:
            found = getattr(mindspore, "bool_" if dtype.name == "bool" else dtype.name, None)
            if found is not None:
                self._objects[dtype.name] = found
        self._dtypes = {found: BY_NAME[name] for name, found in self._objects.items()}
        self._grad = mindspore.ops.GradOperation(get_all=True, sens_param=True)
        self._one = mindspore.Tensor.from_numpy(numpy.ones(1, numpy.float32))
        with contextlib.suppress(SystemError):
            self.is_healthy()  # built for another NumPy major version, MindSpore trips once and works from then on
        if not self.is_healthy():
            raise RuntimeError("mint.add of two ones does not give 2")
        device = mindspore.get_context("device_target")
        self._in_host_memory = device == "CPU"
        return Info("MindSpore", mindspore.__version__, f"pynative on {device}, numpy {numpy.__version__}")

    def tensor(self, memory: memoryview, info: TensorInfo) -> Any:
        name = info.dtype.name
        if name not in self._objects:
            raise Failure(UNSUPPORTED, f"MindSpore has no dtype {name}")
        array = self._np.ndarray(info.shape, _BITS.get(name, name), memory)
        tensor = self._ms.Tensor.from_numpy(array)
        return tensor.view(self._objects[name]) if name in _BITS else tensor

    def inspect(self, value: object) -> Optional[TensorInfo]:
        if isinstance(value, self._tensor_class):
            dtype = self._dtypes.get(value.dtype)
            if dtype is None:
                raise Failure(UNSUPPORTED, f"a tensor of dtype {value.dtype} can't be compared")
            return tensor_info(dtype, value.shape)
        if isinstance(value, (self._np.ndarray, self._np.generic)):
            dtype = BY_NAME.get(value.dtype.name)
            if dtype is None:
                raise Failure(UNSUPPORTED, f"a NumPy array of dtype {value.dtype.name} can't be compared")
            return tensor_info(dtype, value.shape)
        return None

    def store(self, tensor: Any, memory: memoryview) -> None:
        if isinstance(tensor, self._tensor_class):
            if self._in_host_memory and not tensor.has_init and tensor.is_contiguous():
                copy_from(tensor.data_ptr(), memory)  # asnumpy takes five times as long to present the same bytes
                return
            bits = _BITS.get(self._dtypes[tensor.dtype].name)
            if bits is not None:
                tensor = tensor.contiguous().view(self._objects[bits])
            tensor = tensor.asnumpy()
        compact = self._np.ascontiguousarray(tensor)
        copy_from(compact.ctypes.data, memory)

    def address(self, tensor: Any) -> int:
        return int(tensor.data_ptr())

    def version(self, tensor: Any) -> int:
        return int(tensor._version)

    def cast(self, tensor: Any, dtype: Dtype) -> Any:
        return tensor.astype(self._objects[dtype.name])

    def dtype_object(self, dtype: Dtype) -> object:
        if dtype.name not in self._objects:
            raise Failure(UNSUPPORTED, f"MindSpore has no dtype {dtype.name}")
        return self._objects[dtype.name]

    def dtype_of_object(self, value: object) -> Optional[Dtype]:
        try:
            return self._dtypes.get(value)
        except TypeError:
            return None

    def device_object(self, device_type: int, device_id: int) -> str:
        return "CPU"

    def memory_format_object(self, name: str) -> object:
        found = getattr(self._ms, name, None) if name in _MEMORY_FORMATS else None
        if found is None:
            raise Failure(UNSUPPORTED, f"MindSpore has no memory format '{name}'")
        return found

    def seed(self, seed: int) -> None:
        self._ms.set_seed((seed ^ (seed >> 32)) & 0xFFFFFFFF)  # of primitives and NumPy, 32 bits wide
        self._ms.manual_seed(seed)  # of the functions that take a generator

    def synchronize(self) -> None:
        self._executor.sync()

    def gradients(self, function: Callable[..., Sequence[Any]], leaves: list[Any], arriving: list[Any]) -> list[Optional[Any]]:
        def differentiated(*tensors: Any) -> Any:
            outputs = function(*tensors)
            return outputs[0] if len(outputs) == 1 else tuple(outputs)

        sensitivity = arriving[0] if len(arriving) == 1 else tuple(arriving)
        gradients = self._grad(differentiated)(*leaves, sensitivity)
        return list(gradients) if isinstance(gradients, tuple) else [gradients]

    def is_healthy(self) -> bool:
        try:
            total = self._ms.mint.add(self._one, self._one)
            self.synchronize()
            return float(total.asnumpy()[0]) == 2.0
        except (RuntimeError, ValueError, TypeError):
            return False


def _wait_for_kernels(mindspore: Any) -> None:
    """Makes each call return after its kernel, so that a failing kernel fails its own call."""
    runtime = getattr(mindspore, "runtime", None)
    if runtime is not None and hasattr(runtime, "launch_blocking"):
        runtime.launch_blocking()
    else:
        mindspore.set_context(pynative_synchronize=True)


def create() -> MindSporeFramework:
    return MindSporeFramework()
