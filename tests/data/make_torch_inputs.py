"""Writes torch_inputs.json: what PyTorch draws for recorded statistics, to test the C++ port against.

    python make_torch_inputs.py > torch_inputs.json      (made with torch 2.15)

"single": one tensor each from a fresh generator. "dump": a recording whose tensors come from one generator in order of the calls.
Values are the little-endian bytes of the tensor as hexadecimal text.
"""

import json
import math

import torch

INF, NAN = math.inf, math.nan
FLOATS = ("torch.float16", "torch.bfloat16", "torch.float32", "torch.float64", "torch.float8_e4m3fn", "torch.float8_e5m2")


def tensor(dtype, shape, low, high, **more):
    return {"type": "torch.Tensor", "dtype": "torch." + dtype, "shape": shape, "Max": high, "Min": low, "Mean": None, "Norm": None,
            "requires_grad": False, **more}


def pin(flat, low, high, written_low, written_high):
    flat[0], flat[-1] = low, high
    if math.isnan(written_high):
        flat[0 if flat.numel() <= 2 else 1] = NAN
        flat[-1] = high
    elif math.isinf(written_high):
        flat[-1] = written_high
    if not math.isnan(written_high) and math.isinf(written_low):
        flat[0] = written_low


def draw(element, hf32=False):
    dtype = element["dtype"]
    written_low, written_high = element["Min"], element["Max"]
    low = element.get("Min_except_inf_nan", written_low)
    high = element.get("Max_except_inf_nan", written_high)
    shape = tuple(element["shape"])
    if 0 in shape:
        return torch.empty(shape, dtype=getattr(torch, dtype[6:]))
    if dtype == "torch.bool":
        low, high = sorted((int(low), int(high)))
        return torch.randint(low, high + 1, shape) > 0
    torch_dtype = getattr(torch, dtype[6:])
    if dtype in FLOATS:
        work = torch.float32 if "float8" in dtype else torch_dtype
        if math.isnan(high):
            return torch.full(shape, NAN, dtype=work).to(torch_dtype)
        if written_high and math.isinf(high):
            out = torch.full(shape, high, dtype=work)
            out[-1] = low
            return out.to(torch_dtype)
        limits = torch.finfo(work)
        low_scale = max(limits.min, min(limits.max, low)) if math.isinf(low) else low
        out = torch.rand(shape, dtype=work) * (high - low_scale) + low_scale
    else:
        work = torch_dtype
        out = torch.randint(int(low), int(high) + 1, shape, dtype=torch_dtype)
    flat = out.reshape(-1)
    pin(flat, low, high, written_low, written_high)
    out = flat.reshape(shape).to(torch_dtype)
    if hf32 and torch_dtype == torch.float32:
        bits = out.view(torch.int32)
        out = ((((bits >> 11) + 1) >> 1) << 12).view(torch.float32)
    return out


def hexed(values):
    return bytes(values.contiguous().view(torch.uint8).reshape(-1).tolist()).hex() if values.dim() else hexed(values.reshape(1))


SINGLE = [
    *(tensor(d, [5], 1.0, 3.0) for d in ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2")),
    *(tensor(d, [3, 17], -0.7311, 1234.567) for d in ("float16", "bfloat16", "float32", "float64")),
    tensor("float32", [1000], -1e-3, 1.0000001),
    tensor("float16", [1000], -3.14159, 2.71828),
    tensor("bfloat16", [1000], -3.14159, 2.71828),
    tensor("float64", [1000], -3.14159, 2.71828),
    tensor("float32", [], 2.5, 2.5),
    tensor("float32", [1], -4, 8),
    tensor("float32", [0, 3], None, None),
    tensor("float32", [2, 2], 1.0, INF),
    tensor("float32", [4], -INF, INF, Min_except_inf_nan=1.0, Max_except_inf_nan=3.0),
    tensor("float32", [4], NAN, NAN, Min_except_inf_nan=1.0, Max_except_inf_nan=3.0),
    tensor("float32", [2], NAN, NAN, Min_except_inf_nan=1.0, Max_except_inf_nan=3.0),
    tensor("float32", [3], NAN, NAN),
    tensor("float32", [6], -INF, 2.0),
    tensor("float16", [6], -INF, 2.0),
    tensor("float64", [6], -INF, 2.0),
    tensor("float16", [6], -60000.0, 60000.0),
    tensor("bfloat16", [6], -3e38, 3e38),
    tensor("int64", [6], 0, 9),
    tensor("int64", [6], 0, 2**28 - 2),
    tensor("int64", [6], 0, 2**28 - 1),
    tensor("int64", [6], -(2**62), 2**62 - 1),
    tensor("int64", [5], 1234567890123456789, 1234567890123456999),
    tensor("int32", [7], -3.9, 3.9),
    tensor("int16", [7], -300, 300),
    tensor("int8", [7], -128, 127),
    tensor("uint8", [7], 0, 255),
    tensor("bool", [6], False, True),
    tensor("bool", [6], True, False),
    tensor("bool", [6], False, False),
    tensor("bool", [6], True, True),
]


def scalar(kind, value):
    return {"type": kind, "value": value}


def calls():
    """Name, forward entry, arriving gradients, and whether MindStudio Probe draws these too."""
    f32, i32 = "float32", "int32"
    yield "Torch.add.0", [tensor(f32, [3], 0, 1), tensor("float64", [4], -1, 1)], {}, [tensor(f32, [3], 0, 2)], True
    yield "Torch.cat.0", [[tensor("float16", [2], 0, 1), tensor(f32, [2], 0, 1)], scalar("int", 0)], {"out": tensor(f32, [4], 0, 1)}, \
        [tensor(f32, [4], 0, 1)], False
    yield "Distributed.all_reduce.0", [tensor(f32, [9], 0, 1)], {}, None, False
    yield "Functional.cross_entropy.0", [tensor(f32, [2, 5], 0, 1), tensor(i32, [2], -100, 4)], {"weight": tensor(f32, [5], 0.5, 1)}, \
        [tensor(f32, [], 1, 1)], True
    yield "Torch.histc.0", [tensor("int64", [6], 1, 9), scalar("int", 3)], {}, None, False
    yield "Torch.max.0", [tensor(f32, [4], 0, 1)], {}, [tensor(f32, [2], 0, 1), None], False
    yield "Functional.conv1d.0", [tensor(f32, [1, 1, 5], -1, 1), tensor(f32, [1, 1, 2], -1, 1)], {}, [tensor(f32, [1, 1, 4], -1, 1)], True
    yield "Torch.masked_select.0", [tensor(f32, [4], 0, 1), tensor("bool", [4], False, True)], {}, [tensor(f32, [2], 0, 1)], False
    yield "Torch.topk.0", [tensor(f32, [4], 0, 1), scalar("int", 2)], {}, [tensor(f32, [2], 0, 1), None], True
    yield "Torch.sum.0", [tensor(f32, [4], 0, 1)], {"dtype": scalar("torch.dtype", "torch.float32")}, [tensor(f32, [], 0.5, 0.5)], True
    yield "Torch.mul.0", [tensor(f32, [6], 0, 1), tensor(f32, [6], 0, 1)], {}, None, False


def converted(api, place, element):
    element = dict(element)
    if api == "cross_entropy":
        if element["dtype"] == "torch.int32":
            element["dtype"] = "torch.int64"
        if place == "1":
            element["Min"] = max(element["Min"], 0)
    if api == "histc" and element["dtype"] in ("torch.int64",):
        element["dtype"] = "torch.float32"
    return element


def walk(api, prefix, items, out):
    for place, item in items:
        path = f"{prefix}.{place}" if prefix else place
        if isinstance(item, list):
            walk(api, path, [(str(i), x) for i, x in enumerate(item)], out)
        elif item is not None and item["type"] == "torch.Tensor":
            out[path] = hexed(draw(converted(api, path, item), hf32=api in ("conv1d", "conv2d")))


def output_count(stem):
    return 2 if stem in ("Torch.max.0", "Torch.topk.0") else 1


def main():
    single = []
    for element in SINGLE:
        torch.manual_seed(1234)
        single.append({"element": element, "values": hexed(draw(element))})
    torch.manual_seed(1234)
    data, expected = {}, {}
    for stem, args, kwargs, gradients, drawn in calls():
        api = stem.split(".")[1]
        outputs = [tensor("float32", [1], 0, 1)] * output_count(stem)
        data[stem + ".forward"] = {"input_args": args, "input_kwargs": kwargs, "output": outputs}
        if gradients is not None:
            data[stem + ".backward"] = {"input": gradients, "output": []}
        if stem.startswith("Distributed"):
            continue
        forward = {}
        walk(api, "", [(str(i), x) for i, x in enumerate(args)] + list(kwargs.items()), forward)
        expected[stem + ".forward"] = forward
        if gradients is not None and drawn:
            backward = {}
            kept = gradients[:1] if api == "topk" else gradients
            walk(api, "", [(str(i), x) for i, x in enumerate(kept)], backward)
            expected[stem + ".backward"] = backward
    dump = {"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}
    print(json.dumps({"single": single, "dump": dump, "expected": expected}, indent=1))


main()
