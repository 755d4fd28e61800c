"""The C API of the watch library (assay/watch.h) by ctypes, and what only Python can tell it: call sites, threads, modules."""

import ctypes
import os
import sys
import threading

_MESSAGE_SIZE = 4096
_CallSite = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)


class WatchError(RuntimeError):
    """The watch can't be started; the message says why."""


class Numbers(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("active", ctypes.c_int32),
        ("step", ctypes.c_int64),
        ("operators", ctypes.c_uint64),
        ("checked", ctypes.c_uint64),
        ("skipped", ctypes.c_uint64),
        ("findings", ctypes.c_uint64),
        ("kinds", ctypes.c_uint64),
        ("kinds_checked", ctypes.c_uint64),
        ("covered_after", ctypes.c_int64),
        ("cost_share", ctypes.c_double),
    ]


def load(path=None):
    """The library for the PyTorch of this interpreter; it is checked before it is loaded."""
    import torch

    from assay.watch import build

    path = path or os.environ.get("ASSAY_WATCH_LIBRARY")
    if path is None:
        try:
            path = build.find()
        except build.BuildError as error:
            raise WatchError(str(error)) from None
    torch.ops.load_library(os.fspath(path))
    library = ctypes.CDLL(os.fspath(path))
    library.assay_watch_start.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    library.assay_watch_note.argtypes = [ctypes.c_char_p]
    library.assay_watch_module.argtypes = [ctypes.c_char_p]
    library.assay_watch_thread.argtypes = [ctypes.c_int32]
    library.assay_watch_pause.argtypes = [ctypes.c_int32]
    library.assay_watch_get_numbers.argtypes = [ctypes.POINTER(Numbers)]
    library.assay_watch_set_call_site.argtypes = [_CallSite]
    for name in ("note", "module", "thread", "pause", "get_numbers", "set_call_site"):
        getattr(library, "assay_watch_" + name).restype = None
    return library


def start(library, config, out):
    from assay.watch import build

    os.environ.setdefault("ASSAY_HOME", str(build.home()))
    message = ctypes.create_string_buffer(_MESSAGE_SIZE)
    if library.assay_watch_start(config.encode(), os.fsencode(out), message, _MESSAGE_SIZE) != 0:
        raise WatchError(message.value.decode(errors="replace"))
    library.assay_watch_set_call_site(_call_site)
    _let_higher_order_operators_pass()


def numbers(library):
    out = Numbers(struct_size=ctypes.sizeof(Numbers))
    library.assay_watch_get_numbers(ctypes.byref(out))
    return {name: getattr(out, name) for name, _ in Numbers._fields_ if name != "struct_size"}


def _skipped_folders():
    import torch

    return (os.path.dirname(torch.__file__) + os.sep, os.path.dirname(os.path.dirname(__file__)) + os.sep)


_folders = None


@_CallSite
def _call_site(out, size):
    """Writes the innermost frame that is neither PyTorch's nor ours."""
    global _folders
    if _folders is None:
        _folders = _skipped_folders()
    frame = sys._getframe(1) if hasattr(sys, "_getframe") else None
    text = ""
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_folders) and not code.co_filename.startswith("<"):
            text = f"{code.co_filename}:{frame.f_lineno} ({code.co_name})"
            break
        frame = frame.f_back
    data = text.encode(errors="replace")[: size - 1] + b"\0"
    ctypes.memmove(out, data, len(data))


def watch_threads(library):
    """Threads that Python starts from now on are watched; returns what undoes it."""
    original = threading.Thread._bootstrap_inner

    def bootstrap(self):
        library.assay_watch_thread(1)
        original(self)

    threading.Thread._bootstrap_inner = bootstrap

    def undo():
        threading.Thread._bootstrap_inner = original

    return undo


def follow_modules(library):
    """Tells the library which module runs; returns what undoes it."""
    from torch.nn.modules import module as modules

    names = {}
    local = threading.local()

    def enter(module, _):
        depth = getattr(local, "depth", 0)
        if depth == 0:
            names.update({id(inner): name for name, inner in module.named_modules()})
        local.depth = depth + 1
        library.assay_watch_module(names.get(id(module), "").encode())

    def leave(module, *_):
        local.depth = max(getattr(local, "depth", 0) - 1, 0)
        library.assay_watch_module(None)

    handles = [
        modules.register_module_forward_pre_hook(enter),
        modules.register_module_forward_hook(leave, always_call=True),
    ]
    return lambda: [handle.remove() for handle in handles]


def _let_higher_order_operators_pass():
    """Operators made of Python functions know a fixed list of dispatch keys, which the watch's is not in."""
    try:
        from torch._C import DispatchKey
        from torch._ops import _higher_order_ops
    except ImportError:
        return
    key = getattr(DispatchKey, "TESTING_ONLY_GenericMode", None)
    if key is None:
        return
    for operator in list(_higher_order_ops.values()):
        if key not in operator.py_kernels:
            operator.fallthrough(key)
