"""Arguments from the wire to the framework's objects, and results back."""

import struct
from typing import Any, Callable, NamedTuple, Optional

from .dtypes import BY_CODE, Dtype
from .failures import UNSUPPORTED, Failure
from .frameworks.base import Framework, TensorInfo, tensor_info
from .memory import InputSegment, Placement
from .wire import ProtocolError, Reader, Writer

(NONE, BOOL, INT, FLOAT, COMPLEX, STRING, DTYPE, DEVICE, SLICE, ELLIPSIS, TENSOR, LIST, TUPLE, DICT, MEMORY_FORMAT) = range(15)
_MAX_DEPTH = 400
_MAX_RANK = 64
_DTYPE = struct.Struct("<BBH")
_TENSOR_HEAD = struct.Struct("<BBHI")  # dtype and rank
_TENSOR_TAIL = [struct.Struct(f"<{rank}qQ") for rank in range(_MAX_RANK + 1)]  # sizes and offset
_COMPLEX = struct.Struct("<dd")
_DEVICE = struct.Struct("<ii")
_SLICE = struct.Struct("<Bqqq")


class Leaf(NamedTuple):
    """A tensor among the arguments. `offset`: of its bytes in the input segment; -1: it lies in memory of the framework's."""

    path: str
    tensor: Any
    info: TensorInfo
    offset: int
    version: int = 0  # before the call


class ArgumentReader:
    """Builds arguments; `leaves` are the tensors met so far, in order, with their argument paths."""

    def __init__(self, reader: Reader, framework: Framework, segment: Optional[InputSegment], tuples: bool) -> None:
        self._in = reader
        self._framework = framework
        self._segment = segment
        self._sequence: Callable[[list[Any]], Any] = tuple if tuples else list
        self.leaves: list[Leaf] = []

    def values(self) -> list[Any]:
        return [self._value(str(i), 0) for i in range(self._in.count())]

    def named(self) -> dict[str, Any]:
        out = {}
        for _ in range(self._in.count()):
            name = self._in.text()
            out[name] = self._value(name, 0)
        return out

    def _value(self, path: str, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise ProtocolError("values nest too deep")
        reader = self._in
        kind = reader.u8()
        if kind == TENSOR:
            return self._tensor(path)
        if kind == LIST:
            return self._sequence(self._items(path, depth))
        if kind == TUPLE:
            return tuple(self._items(path, depth))
        if kind == DICT:
            return self._dict(path, depth)
        read = _SCALARS.get(kind)
        if read is not None:
            return read(reader)
        if kind == DTYPE:
            return self._framework.dtype_object(_dtype(*reader.take(_DTYPE)))
        if kind == DEVICE:
            return self._framework.device_object(*reader.take(_DEVICE))
        if kind == MEMORY_FORMAT:
            return self._framework.memory_format_object(reader.text())
        raise ProtocolError(f"no value of kind {kind}")

    def _items(self, path: str, depth: int) -> list[Any]:
        return [self._value(f"{path}.{i}", depth + 1) for i in range(self._in.count())]

    def _dict(self, path: str, depth: int) -> dict[str, Any]:
        out = {}
        for _ in range(self._in.count()):
            name = self._in.text()
            out[name] = self._value(f"{path}.{name}", depth + 1)
        return out

    def _tensor(self, path: str) -> Any:
        code, bits, lanes, rank = self._in.take(_TENSOR_HEAD)
        if rank > _MAX_RANK:
            raise ProtocolError(f"tensor of rank {rank}")
        *shape, offset = self._in.take(_TENSOR_TAIL[rank])
        if any(size < 0 for size in shape):
            raise ProtocolError("tensor of a negative size")
        info = tensor_info(_dtype(code, bits, lanes), shape)
        if info.nbytes == 0:
            memory = memoryview(bytearray())
        elif self._segment is None:
            raise ProtocolError("tensor without a segment")
        else:
            memory = self._segment.memory(offset, info.nbytes)
        tensor = self._framework.tensor(memory, info)
        self.leaves.append(Leaf(path, tensor, info, offset))
        return tensor


def _dtype(code: int, bits: int, _lanes: int) -> Dtype:
    dtype = BY_CODE.get((code, bits))
    if dtype is None:
        raise ProtocolError(f"no dtype of code {code} and {bits} bits")
    return dtype


def _slice(reader: Reader) -> slice:
    present, *bounds = reader.take(_SLICE)
    return slice(*(bound if present & (1 << i) else None for i, bound in enumerate(bounds)))


_SCALARS: dict[int, Callable[[Reader], Any]] = {
    NONE: lambda reader: None,
    BOOL: lambda reader: reader.u8() != 0,
    INT: Reader.i64,
    FLOAT: Reader.f64,
    COMPLEX: lambda reader: complex(*reader.take(_COMPLEX)),
    STRING: Reader.text,
    SLICE: _slice,
    ELLIPSIS: lambda reader: Ellipsis,
}


def replace_tensors(value: Any, replacement: dict[int, Any]) -> Any:
    """The same structure with tensors exchanged, by identity."""
    if id(value) in replacement:
        return replacement[id(value)]
    if isinstance(value, (list, tuple)):
        return type(value)(replace_tensors(item, replacement) for item in value)
    if isinstance(value, dict):
        return {key: replace_tensors(item, replacement) for key, item in value.items()}
    return value


class ResultWriter:
    """Writes results; tensors are planned into `placement`, to be stored when its size is known."""

    def __init__(self, framework: Framework) -> None:
        self._framework = framework
        self.out = Writer()
        self.placement = Placement()

    def values(self, values: list[Any]) -> None:
        self.out.u32(len(values))
        for value in values:
            self.value(value)

    def named(self, values: list[tuple[str, Any]]) -> None:
        self.out.u32(len(values))
        for name, value in values:
            self.out.text(name)
            self.value(value)

    def value(self, value: Any) -> None:
        out = self.out
        info = self._framework.inspect(value)
        if info is not None:
            self._tensor(value, info)
        elif value is None:
            out.u8(NONE)
        elif isinstance(value, bool):
            out.u8(BOOL)
            out.u8(int(value))
        elif isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 63:
                raise Failure(UNSUPPORTED, "the result is an integer beyond 64 bits")
            out.u8(INT)
            out.i64(value)
        elif isinstance(value, float):
            out.u8(FLOAT)
            out.f64(value)
        elif isinstance(value, complex):
            out.u8(COMPLEX)
            out.put(_COMPLEX, value.real, value.imag)
        elif isinstance(value, str):
            out.u8(STRING)
            out.text(value)
        elif isinstance(value, (list, tuple)):
            out.u8(TUPLE if isinstance(value, tuple) else LIST)
            self.values(list(value))
        elif isinstance(value, dict):
            out.u8(DICT)
            self.named([(str(key), item) for key, item in value.items()])
        elif isinstance(value, slice):
            self._slice(value)
        elif value is Ellipsis:
            out.u8(ELLIPSIS)
        else:
            self._other(value)

    def _other(self, value: Any) -> None:
        dtype = self._framework.dtype_of_object(value)
        if dtype is None:
            raise Failure(UNSUPPORTED, f"the result is a {type(value).__name__}, which can't be compared")
        self.out.u8(DTYPE)
        self._dtype(dtype)

    def _slice(self, value: slice) -> None:
        bounds = (value.start, value.stop, value.step)
        present = sum(1 << i for i, bound in enumerate(bounds) if bound is not None)
        self.out.u8(SLICE)
        self.out.put(_SLICE, present, *(bound or 0 for bound in bounds))

    def _dtype(self, dtype: Dtype) -> None:
        self.out.put(_DTYPE, dtype.code, dtype.bits, 1)

    def _tensor(self, tensor: Any, info: TensorInfo) -> None:
        rank = len(info.shape)
        if rank > _MAX_RANK:
            raise Failure(UNSUPPORTED, f"the result has rank {rank}, more than {_MAX_RANK}")
        offset = self.placement.add(tensor, info.nbytes) if info.nbytes else 0
        self.out.u8(TENSOR)
        self.out.put(_TENSOR_HEAD, info.dtype.code, info.dtype.bits, 1, rank)
        self.out.put(_TENSOR_TAIL[rank], *info.shape, offset)
