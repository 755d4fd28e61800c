"""Makes small recordings of MindSpore calls: dump.json and .npy files."""

import json
import struct

_FORMATS = {"Float32": ("<f4", "f"), "Float16": ("<f2", "e"), "Int64": ("<i8", "q"), "Bool": ("|b1", "?")}


class Recording:
    """A dump in `folder`; calls are added one by one, then `write` writes dump.json."""

    def __init__(self, folder, task="tensor"):
        self.folder = folder
        self._task = task
        self._data = {}
        (folder / "dump_tensor_data").mkdir(parents=True)

    def tensor(self, name, values, shape=None, dtype="Float32"):
        """An element whose data lie in a file."""
        shape = [len(values)] if shape is None else list(shape)
        descr, code = _FORMATS[dtype]
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)
        element = self.statistics(shape, dtype)
        if values:
            (self.folder / "dump_tensor_data" / f"{name}.npy").write_bytes(data)
            element["data_name"] = f"{name}.npy"
        return element

    @staticmethod
    def statistics(shape, dtype="Float32", low=None, high=None):
        """An element of which only statistics were recorded."""
        return {"type": "mindspore.Tensor", "dtype": dtype, "shape": list(shape), "Max": high, "Min": low, "Mean": None, "Norm": None}

    def call(self, key, args, outputs, **kwargs):
        self._data[f"{key}.forward"] = {"input_args": args, "input_kwargs": kwargs, "output": outputs}

    def backward(self, key, arriving, produced):
        self._data[f"{key}.backward"] = {"input": arriving, "output": produced}

    def write(self):
        """Writes dump.json; returns the folder."""
        document = {
            "task": self._task,
            "level": "L1",
            "framework": "mindspore",
            "dump_data_dir": "dump_tensor_data" if self._task == "tensor" else None,
            "data": self._data,
        }
        (self.folder / "dump.json").write_text(json.dumps(document), encoding="utf-8")
        return self.folder


def number(value):
    return {"type": type(value).__name__, "value": value}
