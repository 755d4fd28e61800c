"""What the bridge asks of a framework. One class a framework; everything else in the bridge knows none by name."""

import abc
import math
from collections.abc import Iterable, Sequence
from typing import Any, Callable, NamedTuple, Optional

from ..dtypes import Dtype


class Info(NamedTuple):
    name: str
    version: str
    details: str


class TensorInfo(NamedTuple):
    dtype: Dtype
    shape: tuple[int, ...]
    nbytes: int


def tensor_info(dtype: Dtype, shape: Iterable[int]) -> TensorInfo:
    sizes = tuple(shape)
    return TensorInfo(dtype, sizes, math.prod(sizes) * dtype.size)


class Framework(abc.ABC):
    @abc.abstractmethod
    def start(self) -> Info:
        """Imports and sets up the framework. Raises ImportError, or whatever a broken installation raises."""

    @abc.abstractmethod
    def tensor(self, memory: memoryview, info: TensorInfo) -> Any:
        """A tensor over the memory, without a copy. Raises if the framework lacks the dtype."""

    @abc.abstractmethod
    def inspect(self, value: object) -> Optional[TensorInfo]:
        """What kind of tensor the value is; None: it isn't one."""

    @abc.abstractmethod
    def store(self, tensor: Any, memory: memoryview) -> None:
        """Writes the tensor's elements to the memory, compact and row-major."""

    @abc.abstractmethod
    def address(self, tensor: Any) -> int:
        """Where the tensor's data lie now."""

    @abc.abstractmethod
    def version(self, tensor: Any) -> int:
        """A number that grows whenever the framework writes to the tensor; for tensors that lie in memory of its own."""

    @abc.abstractmethod
    def cast(self, tensor: Any, dtype: Dtype) -> Any:
        """A copy in another dtype."""

    @abc.abstractmethod
    def dtype_object(self, dtype: Dtype) -> object:
        """The framework's own object for a dtype, for dtype arguments."""

    @abc.abstractmethod
    def dtype_of_object(self, value: object) -> Optional[Dtype]:
        """The reverse; None: the value is not a dtype."""

    @abc.abstractmethod
    def device_object(self, device_type: int, device_id: int) -> object:
        """The framework's own object for a device argument."""

    @abc.abstractmethod
    def memory_format_object(self, name: str) -> object:
        """The framework's own object for a memory format such as channels_last."""

    @abc.abstractmethod
    def seed(self, seed: int) -> None:
        """Sets the random generators for the next call."""

    @abc.abstractmethod
    def synchronize(self) -> None:
        """Waits for everything that was started; raises what failed late."""

    @abc.abstractmethod
    def gradients(self, function: Callable[..., Sequence[Any]], leaves: list[Any], arriving: list[Any]) -> list[Optional[Any]]:
        """Vector-Jacobian product of `function(*leaves)`, which gives one tensor for each arriving gradient."""

    @abc.abstractmethod
    def is_healthy(self) -> bool:
        """Whether a trivial call still works; asked after a failed one."""
