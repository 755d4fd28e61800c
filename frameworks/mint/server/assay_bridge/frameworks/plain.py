"""Plain Python: for packages of functions that work on numbers, and on tensors as `PlainTensor` (a memoryview with a shape)."""

import ctypes
import platform
from collections.abc import Sequence
from typing import Any, Callable, Optional

from ..dtypes import Dtype
from ..failures import UNSUPPORTED, Failure
from .base import Framework, Info, TensorInfo


class PlainTensor:
    """Bytes with a dtype and a shape. Functions may write to `memory`."""

    def __init__(self, memory: memoryview, info: TensorInfo) -> None:
        self.memory = memory
        self.info = info


class PlainFramework(Framework):
    def start(self) -> Info:
        return Info("Python", platform.python_version(), platform.python_implementation())

    def tensor(self, memory: memoryview, info: TensorInfo) -> PlainTensor:
        return PlainTensor(memory, info)

    def inspect(self, value: object) -> Optional[TensorInfo]:
        return value.info if isinstance(value, PlainTensor) else None

    def store(self, tensor: PlainTensor, memory: memoryview) -> None:
        memory[:] = tensor.memory

    def address(self, tensor: PlainTensor) -> int:
        return ctypes.addressof(ctypes.c_char.from_buffer(tensor.memory))

    def version(self, tensor: PlainTensor) -> int:
        return 0

    def cast(self, tensor: PlainTensor, dtype: Dtype) -> Any:
        raise Failure(UNSUPPORTED, "plain Python has no other precision than the recorded one")

    def dtype_object(self, dtype: Dtype) -> Dtype:
        return dtype

    def dtype_of_object(self, value: object) -> Optional[Dtype]:
        return value if isinstance(value, Dtype) else None

    def device_object(self, device_type: int, device_id: int) -> str:
        return "cpu"

    def memory_format_object(self, name: str) -> str:
        return name

    def seed(self, seed: int) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def gradients(self, function: Callable[..., Sequence[Any]], leaves: list[Any], arriving: list[Any]) -> list[Optional[Any]]:
        raise Failure(UNSUPPORTED, "plain Python has no gradients")

    def is_healthy(self) -> bool:
        return True


def create() -> PlainFramework:
    return PlainFramework()
