"""The C interface of the NPU runtime from Python, for tests of the emulator: every call is made as a C caller makes it.

    npu = Npu(home)
    npu.call("aclnnAdd", a, b, Scalar(1.0), Out((3, 4), "FLOAT"))      # a, b: torch tensors; -> [tensor]
"""

import ctypes
import json
import os
import pathlib

import torch

DTYPES = {
    torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4, torch.int16: 6, torch.int64: 9,
    torch.float64: 11, torch.bool: 12, torch.complex64: 16, torch.complex128: 17, torch.bfloat16: 27,
}  # fmt: skip
C_TYPES = {
    "int64": ctypes.c_int64, "uint64": ctypes.c_uint64, "int32": ctypes.c_int32, "int8": ctypes.c_int8, "bool": ctypes.c_bool,
    "double": ctypes.c_double, "float": ctypes.c_float, "dtype": ctypes.c_int32,
}  # fmt: skip
FORMATS = {3: 47, 4: 0, 5: 30}  # by rank; else ND
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


class AclError(Exception):
    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code = code


class Scalar:
    def __init__(self, value):
        self.value = value


class Out:
    """An output of that shape and dtype."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = tuple(shape), dtype


class InOut:
    """A tensor that is read and written; its new values are returned."""

    def __init__(self, tensor):
        self.tensor = tensor


def raw(tensor):
    """The bytes of a tensor's elements, row-major."""
    flat = tensor.detach().contiguous().reshape(-1)
    if flat.numel() == 0:
        return b""
    return bytes(flat.view(torch.uint8).numpy()) if flat.dtype != torch.bool else bytes(flat.to(torch.uint8).numpy())


class Npu:
    def __init__(self, home, table):
        libraries = pathlib.Path(home) / "lib64"
        self.acl = ctypes.CDLL(str(libraries / "libascendcl.so"), ctypes.RTLD_GLOBAL)
        self.base = ctypes.CDLL(str(libraries / "libnnopbase.so"), ctypes.RTLD_GLOBAL)
        self.ops = ctypes.CDLL(str(libraries / "libopapi.so"), ctypes.RTLD_GLOBAL)
        self.table = {}
        for op in json.loads(pathlib.Path(table).read_text()):
            self.table[op["name"]] = op["params"]
        self.acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
        for name in ("Tensor", "Scalar", "IntArray", "FloatArray", "BoolArray", "TensorList"):
            getattr(self.base, f"aclCreate{name}").restype = ctypes.c_void_p
        self.check(self.acl.aclInit(None))
        self.check(self.acl.aclrtSetDevice(0))
        self.stream = ctypes.c_void_p()
        self.check(self.acl.aclrtCreateStream(ctypes.byref(self.stream)))

    def check(self, code):
        if code != 0:
            text = self.acl.aclGetRecentErrMsg()
            raise AclError(code, text.decode() if text else "")

    def close(self):
        self.check(self.acl.aclrtDestroyStream(self.stream))
        self.check(self.acl.aclrtResetDevice(0))
        self.check(self.acl.aclFinalize())

    def allocate(self, size):
        address = ctypes.c_void_p()
        self.check(self.acl.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(max(size, 1)), 0))
        self.memory.append(address)
        return address

    def tensor(self, value):
        """An aclTensor; a torch tensor that isn't contiguous keeps its strides."""
        shape, dtype = tuple(value.shape), value.dtype
        strides, storage, offset = None, shape, 0
        if isinstance(value, torch.Tensor) and not value.is_contiguous() and value.numel() > 0:
            base = value.as_strided((value.untyped_storage().nbytes() // value.element_size(),), (1,), 0)
            strides, storage, offset = value.stride(), (base.numel(),), value.storage_offset()
            data = raw(base)
        else:
            data = raw(value) if isinstance(value, torch.Tensor) else b""
        count = 1
        for dim in storage:
            count *= dim
        address = self.allocate(count * torch.empty(0, dtype=dtype).element_size())
        if data:
            self.check(self.acl.aclrtMemcpy(address, ctypes.c_size_t(len(data)), data, ctypes.c_size_t(len(data)), HOST_TO_DEVICE))
        dims = (ctypes.c_int64 * len(shape))(*shape)
        steps = None if strides is None else (ctypes.c_int64 * len(shape))(*strides)
        stored = (ctypes.c_int64 * len(storage))(*storage)
        handle = self.base.aclCreateTensor(
            dims, ctypes.c_uint64(len(shape)), DTYPES[dtype], steps, ctypes.c_int64(offset), FORMATS.get(len(shape), 2), stored,
            ctypes.c_uint64(len(storage)), address,
        )  # fmt: skip
        return handle, address

    def download(self, shape, dtype, address):
        result = torch.empty(shape, dtype=dtype)
        size = result.numel() * result.element_size()
        if size > 0:
            buffer = ctypes.create_string_buffer(size)
            self.check(self.acl.aclrtMemcpy(buffer, ctypes.c_size_t(size), address, ctypes.c_size_t(size), DEVICE_TO_HOST))
            result = torch.frombuffer(bytearray(buffer.raw), dtype=dtype).reshape(shape)
        return result

    def argument(self, kind, value):
        """The C argument, and how to destroy it. Outputs are added to self.results."""
        if value is None and kind not in C_TYPES:
            return ctypes.c_void_p(), None
        if kind == "tensor":
            source = value.tensor if isinstance(value, InOut) else value
            handle, address = self.tensor(source)
            if isinstance(value, (Out, InOut)):
                self.results.append((tuple(source.shape), source.dtype, address, handle))
            return ctypes.c_void_p(handle), self.base.aclDestroyTensor
        if kind == "tensors":
            members = [self.argument("tensor", v)[0].value for v in value]
            array = (ctypes.c_void_p * len(members))(*members)
            return ctypes.c_void_p(self.base.aclCreateTensorList(array, ctypes.c_uint64(len(members)))), self.base.aclDestroyTensorList
        if kind == "scalar":
            number = value.value
            c_value, dtype = (
                (ctypes.c_bool(number), 12) if isinstance(number, bool)
                else (ctypes.c_int64(number), 9) if isinstance(number, int)
                else (ctypes.c_double(number), 11)
            )  # fmt: skip
            return ctypes.c_void_p(self.base.aclCreateScalar(ctypes.byref(c_value), dtype)), self.base.aclDestroyScalar
        if kind in ("ints", "bools", "floats"):
            element, name = {"ints": (ctypes.c_int64, "IntArray"), "bools": (ctypes.c_bool, "BoolArray"), "floats": (ctypes.c_float, "FloatArray")}[kind]
            array = (element * len(value))(*value)
            return ctypes.c_void_p(getattr(self.base, f"aclCreate{name}")(array, ctypes.c_uint64(len(value)))), getattr(self.base, f"aclDestroy{name}")
        if kind == "text":
            return ctypes.c_char_p(value.encode()), None
        if kind == "dtype":
            return ctypes.c_int32(DTYPES[value]), None
        return C_TYPES[kind](value), None

    def call(self, name, *values):
        """Both phases and a synchronise; the outputs in order."""
        self.memory, self.results = [], []
        kinds = [p["type"] for p in self.table[name]]
        assert len(kinds) == len(values), f"{name} has {len(kinds)} parameters"
        arguments = [self.argument(kind, value) for kind, value in zip(kinds, values)]
        try:
            size, executor = ctypes.c_uint64(), ctypes.c_void_p()
            phase1 = getattr(self.ops, f"{name}GetWorkspaceSize")
            self.check(phase1(*(a for a, _ in arguments), ctypes.byref(size), ctypes.byref(executor)))
            workspace = self.allocate(size.value) if size.value else ctypes.c_void_p()
            self.check(getattr(self.ops, name)(workspace, size, executor, self.stream))
            self.check(self.acl.aclrtSynchronizeStream(self.stream))
            return [self.download(self.true_shape(handle), dtype, address) for _, dtype, address, handle in self.results]
        finally:
            for handle, destroy in arguments:
                if destroy is not None:
                    destroy(handle)
            for address in self.memory:
                self.acl.aclrtFree(address)

    def true_shape(self, handle):
        dims, rank = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_uint64()
        self.check(self.base.aclGetViewShape(ctypes.c_void_p(handle), ctypes.byref(dims), ctypes.byref(rank)))
        return tuple(dims[i] for i in range(rank.value))


def home():
    return os.path.join(os.environ["ASSAY_BUILD_DIR"], "lib", "emulators", "npu")


def table():
    return os.path.join(os.environ["ASSAY_SOURCE_DIR"], "tests", "emulators", "npu", "operators.json")
