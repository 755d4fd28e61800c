"""Dumps for the hostile adapter (tests/hostile), whose operators do by name what their name says."""

import json
import struct

from support import BUILD

PLUGINS = BUILD / "tests" / "plugins"
ADAPTER = ("--reference", "example.hostile", "--plugin-path", PLUGINS)
COUNT = 256


def npy(values, shape=None):
    """A float32 .npy file."""
    header = repr({"descr": "<f4", "fortran_order": False, "shape": tuple(shape or [len(values)])})
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values)


def tensor(name, count=COUNT):
    return {
        "type": "torch.Tensor",
        "dtype": "torch.float32",
        "shape": [count],
        "Max": 1.0,
        "Min": 0.0,
        "Mean": 0.5,
        "Norm": 1.0,
        "requires_grad": False,
        "data_name": name,
    }


def write_dump(folder, operators):
    """A dump with a call of each operator, in this order; returns the stems. Recorded outputs are those of "double" for it, and the
    input for all others."""
    tensors = folder / "dump_tensor_data"
    tensors.mkdir(parents=True)
    values = [i / COUNT for i in range(COUNT)]
    (tensors / "x.npy").write_bytes(npy(values))
    (tensors / "y.npy").write_bytes(npy([2 * value for value in values]))
    data, stems, numbers = {}, [], {}
    for operator in operators:
        number = numbers[operator] = numbers.get(operator, -1) + 1
        stems.append(f"Functional.{operator}.{number}")
        output = tensor("y.npy" if operator == "double" else "x.npy")
        data[stems[-1] + ".forward"] = {"input_args": [tensor("x.npy")], "input_kwargs": {}, "output": [output]}
    header = {"task": "tensor", "level": "L1", "framework": "pytorch", "dump_data_dir": "dump_tensor_data"}
    (folder / "dump.json").write_text(json.dumps({**header, "data": data}), encoding="utf-8")
    return stems
