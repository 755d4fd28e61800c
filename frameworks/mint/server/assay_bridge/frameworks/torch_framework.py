"""PyTorch on the CPU, as its Python functions present it."""

from collections.abc import Sequence
from typing import Any, Callable, Optional

from ..dtypes import ALL, BY_NAME, Dtype
from ..failures import UNSUPPORTED, Failure
from .base import Framework, Info, TensorInfo, tensor_info

_MEMORY_FORMATS = ("contiguous_format", "channels_last", "channels_last_3d", "preserve_format")
_DEVICES = {1: "cpu", 2: "cuda"}


class TorchFramework(Framework):
    def start(self) -> Info:
        import torch

        self._torch = torch
        self._objects: dict[str, Any] = {}
        for dtype in ALL:
            found = getattr(torch, dtype.name, None)
            if found is not None:
                self._objects[dtype.name] = found
        self._dtypes = {found: BY_NAME[name] for name, found in self._objects.items()}
        return Info("PyTorch", torch.__version__, f"on CPU, {torch.get_num_threads()} threads")

    def tensor(self, memory: memoryview, info: TensorInfo) -> Any:
        dtype = self._object(info.dtype)
        if info.nbytes == 0:
            return self._torch.empty(info.shape, dtype=dtype)
        return self._torch.frombuffer(memory, dtype=dtype).reshape(info.shape)

    def inspect(self, value: object) -> Optional[TensorInfo]:
        if isinstance(value, self._torch.Tensor):
            dtype = self._dtypes.get(value.dtype)
            if dtype is None or value.layout != self._torch.strided or value.is_meta:
                raise Failure(UNSUPPORTED, f"a {value.layout} tensor of {value.dtype} can't be compared")
            return tensor_info(dtype, value.shape)
        if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
            return self.inspect(self._torch.as_tensor(value))
        return None

    def store(self, tensor: Any, memory: memoryview) -> None:
        tensor = self._torch.as_tensor(tensor).detach()
        target = self._torch.frombuffer(memory, dtype=tensor.dtype).reshape(tensor.shape)
        target.copy_(tensor.resolve_conj().resolve_neg())

    def address(self, tensor: Any) -> int:
        return int(tensor.data_ptr())

    def version(self, tensor: Any) -> int:
        return int(tensor._version)

    def cast(self, tensor: Any, dtype: Dtype) -> Any:
        return tensor.to(self._object(dtype))

    def dtype_object(self, dtype: Dtype) -> object:
        return self._object(dtype)

    def dtype_of_object(self, value: object) -> Optional[Dtype]:
        return self._dtypes.get(value) if isinstance(value, self._torch.dtype) else None

    def device_object(self, device_type: int, device_id: int) -> object:
        if device_type not in _DEVICES:
            return self._torch.device("cpu")
        return self._torch.device(_DEVICES[device_type], device_id)

    def memory_format_object(self, name: str) -> object:
        if name not in _MEMORY_FORMATS:
            raise Failure(UNSUPPORTED, f"PyTorch has no memory format '{name}'")
        return getattr(self._torch, name)

    def seed(self, seed: int) -> None:
        self._torch.manual_seed(seed)

    def synchronize(self) -> None:
        pass  # the CPU has no queue

    def gradients(self, function: Callable[..., Sequence[Any]], leaves: list[Any], arriving: list[Any]) -> list[Optional[Any]]:
        inputs = [leaf.detach().requires_grad_() for leaf in leaves]
        # Clones, since an API that works in place may not touch a leaf of the graph.
        outputs = function(*(tensor.clone() for tensor in inputs))
        if not any(output.requires_grad for output in outputs):
            return [None] * len(leaves)
        pairs = [(output, gradient) for output, gradient in zip(outputs, arriving) if output.requires_grad]
        return list(self._torch.autograd.grad([pair[0] for pair in pairs], inputs, [pair[1] for pair in pairs], allow_unused=True))

    def is_healthy(self) -> bool:
        return True

    def _object(self, dtype: Dtype) -> Any:
        if dtype.name not in self._objects:
            raise Failure(UNSUPPORTED, f"this PyTorch has no dtype {dtype.name}")
        return self._objects[dtype.name]


def create() -> TorchFramework:
    return TorchFramework()
