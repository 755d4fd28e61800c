"""Runs one call: forward, or backward as a vector-Jacobian product, and says which arguments it changed."""

from typing import Any, NamedTuple, Optional

from .dtypes import BY_NAME, Dtype
from .failures import INVALID_ARGUMENT, UNSUPPORTED, Failure
from .frameworks.base import Framework, tensor_info
from .memory import InputSegment
from .modules import ModuleMap
from .values import ArgumentReader, Leaf, replace_tensors
from .wire import Reader

FORWARD, BACKWARD = 0, 1
AS_RECORDED, FLOAT32, FLOAT64 = 0, 1, 2
_PRECISIONS = {FLOAT32: (BY_NAME["float32"], BY_NAME["complex64"]), FLOAT64: (BY_NAME["float64"], BY_NAME["complex128"])}


class CallHead(NamedTuple):
    direction: int
    precision: int
    seed: int


class Results(NamedTuple):
    outputs: list[Any]
    gradients: list[tuple[str, Any]]
    mutated: list[tuple[str, Any]]
    wrote: bool  # to the input segment: it must be restored before the next call


class Call:
    """A call as read from its frame. `leaves` are its tensors; arriving gradients have leaves of their own."""

    def __init__(
        self, head: CallHead, reader: Reader, framework: Framework, modules: ModuleMap, segment: Optional[InputSegment]
    ) -> None:
        self._framework = framework
        self._segment = segment
        self._direction, self._precision, self._seed = head
        api = reader.text()
        self._function = modules.resolve(api)
        self._in_place = api.endswith("_")
        self._draws = modules.draws_random_numbers(api)
        arguments = ArgumentReader(reader, framework, segment, modules.tuples)
        self._args: list[Any] = arguments.values()
        self._kwargs: dict[str, Any] = arguments.named()
        self._leaves: list[Leaf] = arguments.leaves
        self._arriving: list[Any] = []
        gradients: list[Leaf] = []
        if self._direction == BACKWARD:
            arriving = ArgumentReader(reader, framework, segment, modules.tuples)
            self._arriving, gradients = arriving.values(), arriving.leaves
        if self._precision in _PRECISIONS:
            self._raise_precision(gradients)

    def run(self) -> Results:
        if self._draws:
            self._framework.seed(self._seed)
        return self._backward() if self._direction == BACKWARD else self._forward()

    def _has_written(self) -> bool:
        return self._segment is not None and self._segment.was_written()

    def _forward(self) -> Results:
        result = self._function(*self._args, **self._kwargs)
        self._framework.synchronize()
        wrote = self._has_written()
        mutated = [(leaf.path, leaf.tensor) for leaf in self._leaves if self._was_changed(leaf, wrote)]
        return Results(_as_outputs(result), [], mutated, wrote)

    def _backward(self) -> Results:
        wanted = [i for i, gradient in enumerate(self._arriving) if self._is_differentiable(gradient)]
        if not wanted:
            raise Failure(INVALID_ARGUMENT, "no floating-point gradient arrives at any output")
        leaves = [leaf for leaf in self._leaves if leaf.info.dtype.is_differentiable]
        if not leaves:
            raise Failure(UNSUPPORTED, "the call has no floating-point tensor to differentiate for")

        def differentiated(*tensors: Any) -> list[Any]:
            replacement = {id(leaf.tensor): tensor for leaf, tensor in zip(leaves, tensors)}
            args = replace_tensors(self._args, replacement)
            outputs = _as_outputs(self._function(*args, **replace_tensors(self._kwargs, replacement)))
            return [self._output(outputs, i) for i in wanted]

        tensors = [leaf.tensor for leaf in leaves]
        gradients = self._framework.gradients(differentiated, tensors, [self._arriving[i] for i in wanted])
        self._framework.synchronize()
        return Results([], [(leaf.path, gradient) for leaf, gradient in zip(leaves, gradients)], [], self._has_written())

    def _output(self, outputs: list[Any], index: int) -> Any:
        if index >= len(outputs):
            raise Failure(INVALID_ARGUMENT, f"a gradient arrives at output {index}, the call has {len(outputs)}")
        output, arriving = self._framework.inspect(outputs[index]), self._framework.inspect(self._arriving[index])
        if output is None or not output.dtype.is_differentiable:
            raise Failure(INVALID_ARGUMENT, f"a gradient arrives at output {index}, which is no floating-point tensor")
        if arriving is not None and arriving.shape != output.shape:
            raise Failure(
                INVALID_ARGUMENT,
                f"the gradient at output {index} has shape {list(arriving.shape)}, the output has {list(output.shape)}",
            )
        if arriving is not None and arriving.dtype != output.dtype:
            return self._framework.cast(outputs[index], arriving.dtype)
        return outputs[index]

    def _is_differentiable(self, value: Any) -> bool:
        info = self._framework.inspect(value)
        return info is not None and info.dtype.is_differentiable

    def _raise_precision(self, gradient_leaves: list[Leaf]) -> None:
        """Converts every floating-point and complex tensor of the call as its precision asks."""
        self._leaves, replacement = self._cast_leaves(self._leaves)
        self._args = replace_tensors(self._args, replacement)
        self._kwargs = replace_tensors(self._kwargs, replacement)
        _, replacement = self._cast_leaves(gradient_leaves)
        self._arriving = replace_tensors(self._arriving, replacement)

    def _cast_leaves(self, leaves: list[Leaf]) -> tuple[list[Leaf], dict[int, Any]]:
        real, complex_ = _PRECISIONS[self._precision]
        out, replacement = [], {}
        for leaf in leaves:
            target: Dtype = complex_ if leaf.info.dtype.is_complex else real
            if leaf.info.dtype.is_differentiable and leaf.info.dtype != target:
                tensor = self._framework.cast(leaf.tensor, target)
                replacement[id(leaf.tensor)] = tensor
                leaf = Leaf(leaf.path, tensor, tensor_info(target, leaf.info.shape), -1, self._framework.version(tensor))
            out.append(leaf)
        return out, replacement

    def _was_changed(self, leaf: Leaf, wrote: bool) -> bool:
        """Whether the call changed the argument. `wrote`: it wrote somewhere in the input segment."""
        if self._segment is None or leaf.info.nbytes == 0:
            return False
        if leaf.offset < 0:
            return self._framework.version(leaf.tensor) != leaf.version
        if wrote and self._segment.differs(leaf.offset, leaf.info.nbytes):
            return True
        return self._in_place and self._was_replaced(leaf, self._segment)

    def _was_replaced(self, leaf: Leaf, segment: InputSegment) -> bool:
        """Whether an API that works in place gave the tensor another shape, dtype or memory with other contents."""
        framework = self._framework
        if framework.inspect(leaf.tensor) != leaf.info:
            return True
        if framework.address(leaf.tensor) == segment.address + leaf.offset:
            return False
        moved = bytearray(leaf.info.nbytes)
        framework.store(leaf.tensor, memoryview(moved))
        return memoryview(moved) != segment.memory(leaf.offset, leaf.info.nbytes)


def _as_outputs(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]
