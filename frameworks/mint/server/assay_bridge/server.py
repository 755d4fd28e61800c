"""The server's loop: one request, one answer, until the client leaves."""

import gc
import json
import resource
import socket
import struct
import sys
from typing import Any, Optional

from . import frameworks, wire
from .calls import Call, CallHead, Results
from .failures import INTERNAL, OUT_OF_MEMORY, UNSUPPORTED, Failure, classify, one_line
from .frameworks.base import Framework
from .memory import InputSegment, OutputPool
from .modules import ModuleMap
from .values import ResultWriter
from .wire import Frame, ProtocolError, Reader, Writer

_SEGMENT = struct.Struct("<IQI")  # id, bytes, flags
_CALL = struct.Struct("<IQIQIIQii")  # segment, bytes of it in use, direction, precision, seed, device type and id
_RECURSION_LIMIT = 5000  # values nest up to 400 deep


class Server:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._framework: Optional[Framework] = None
        self._modules: Optional[ModuleMap] = None
        self._input: Optional[InputSegment] = None
        self._outputs = OutputPool(0)
        self._keep_bytes = 0
        self._memory_limit = 0
        self._idle_bytes = 0
        sys.setrecursionlimit(_RECURSION_LIMIT)

    def serve(self) -> None:
        while True:
            frame = wire.receive(self._connection)
            if frame is None:
                return
            try:
                self._answer(frame)
            except ProtocolError:
                raise
            except Failure as failure:
                self._send_failure(frame, failure)

    def _answer(self, frame: Frame) -> None:
        if self._framework is None or self._modules is None:
            if frame.kind != wire.START:
                raise ProtocolError("a request before start")
            self._start(frame)
        elif frame.kind == wire.CALL:
            self._call(frame, self._framework, self._modules)
        elif frame.kind == wire.SUPPORTS:
            self._modules.resolve(Reader(frame.payload).text())
            wire.send(self._connection, wire.DONE, frame.id, b"")
        else:
            raise ProtocolError(f"no request of kind {frame.kind}")

    def _send_failure(self, frame: Frame, failure: Failure) -> None:
        out = Writer()
        out.i32(failure.status)
        out.u32(wire.STATE_DOUBTFUL if failure.doubtful else 0)
        out.text(failure.message)
        wire.send(self._connection, wire.FAILED, frame.id, out.bytes())

    def _start(self, frame: Frame) -> None:
        settings: dict[str, Any] = json.loads(Reader(frame.payload).text())
        self._keep_bytes = int(settings["keep_bytes"])
        self._memory_limit = int(settings["memory_limit_bytes"])
        self._outputs = OutputPool(self._keep_bytes)
        modules = ModuleMap(settings["map"])
        try:
            framework = frameworks.load(modules.framework)
            info = framework.start()
            modules.load()
        except Failure:
            raise
        except Exception as error:  # noqa: BLE001 - a broken framework raises anything
            raise Failure(UNSUPPORTED, _missing(modules, error)) from error
        self._framework, self._modules = framework, modules
        self._idle_bytes = _data_bytes()
        self._limit_memory(0)
        gc.freeze()  # the framework's objects stay: collections need not look at them
        out = Writer()
        out.text(info.name)
        out.text(info.version)
        out.text(f"{info.details}; python {sys.version.split()[0]} at {sys.executable}")
        wire.send(self._connection, wire.READY, frame.id, out.bytes())

    def _limit_memory(self, shared: int) -> None:
        """Bounds what the process may take beyond the idle framework and `shared` bytes of inputs."""
        if self._memory_limit:
            limit = self._idle_bytes + self._memory_limit + shared
            resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.getrlimit(resource.RLIMIT_DATA)[1]))

    def _call(self, frame: Frame, framework: Framework, modules: ModuleMap) -> None:
        reader = Reader(frame.payload)
        # The device is left alone: the framework was set up for one.
        segment_id, size, _, used, direction, precision, seed, _, _ = reader.take(_CALL)
        self._outputs.release(reader.take(struct.Struct(f"<{reader.count()}I")))
        segment = self._input_segment(segment_id, size, used, frame.fd) if segment_id else None
        has_run = False
        try:
            results = Call(CallHead(direction, precision, seed), reader, framework, modules, segment).run()
            has_run = True
            self._send_results(frame, framework, results, used)
            if segment is not None and results.wrote:
                segment.restore()
        except ProtocolError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a framework raises is an answer
            failure = classify(error, modules.unsupported)
            # A result that can't be read although its call had returned: the framework failed late.
            failed_late = has_run and not isinstance(error, Failure)
            failure.doubtful = failed_late or not framework.is_healthy()
            if segment is not None:
                segment.restore()
            self._send_failure(frame, failure)
            failure.__traceback__ = None  # it would keep this frame, and with it the call's tensors, until a garbage collection
        finally:
            if segment is not None and segment.size > self._keep_bytes:
                self._input = None

    def _input_segment(self, segment_id: int, size: int, used: int, fd: int) -> InputSegment:
        """The segment of a call's tensors, of which the call uses so many bytes."""
        if self._input is None or self._input.id != segment_id or fd >= 0:
            self._input = None
            self._limit_memory(size)
            self._input = InputSegment(segment_id, fd, size)
        self._input.begin(used)
        return self._input

    def _send_results(self, frame: Frame, framework: Framework, results: Results, input_bytes: int) -> None:
        body = ResultWriter(framework)
        body.values(results.outputs)
        body.named(results.gradients)
        body.named(results.mutated)
        body.out.u32(0)  # no notes
        body.out.u64(0)  # memory: the frameworks here don't say
        size = body.placement.size
        if self._memory_limit and size + input_bytes > self._memory_limit:
            took, limit = (size + input_bytes) >> 20, self._memory_limit >> 20
            raise Failure(OUT_OF_MEMORY, f"memory: the call's tensors take {took} MiB with its results, the limit is {limit} MiB")
        head = Writer()
        if size == 0:
            head.put(_SEGMENT, 0, 0, 0)
            wire.send(self._connection, wire.RESULTS, frame.id, head.bytes() + body.out.bytes())
            return
        lent = self._outputs.take(size)
        for tensor, offset, nbytes in body.placement.items():
            framework.store(tensor, lent.segment.view[offset : offset + nbytes])
        head.put(_SEGMENT, lent.segment.id, lent.segment.size, lent.flags)
        fd = lent.segment.fd if lent.is_new else -1
        wire.send(self._connection, wire.RESULTS, frame.id, head.bytes() + body.out.bytes(), fd)


def _missing(modules: ModuleMap, error: Exception) -> str:
    reason = one_line(error)
    if not isinstance(error, ImportError):
        reason = f"{type(error).__name__}: {reason}"
    python, hint = sys.executable, modules.install_hint
    return f"can't import {modules.package} in '{python}': {reason}; install it with: {python} -m pip install {hint}"


def _data_bytes() -> int:
    """Private writable memory of this process, which RLIMIT_DATA counts."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        for line in status:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    raise Failure(INTERNAL, "/proc/self/status has no VmData")
