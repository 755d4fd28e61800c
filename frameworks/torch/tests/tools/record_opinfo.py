#!/usr/bin/env python3
"""Records calls of PyTorch's own operator samples (OpInfo) as dump folders, to try the torch adapter on.

  record_opinfo.py OUT [--dtypes float32,int64] [--per-name 3] [--filter softmax]

Writes OUT/<dtype>/{dump.json,calls.json,dump_tensor_data}. Needs a PyTorch with torch.testing; the samples are made by it, nothing
is downloaded. Every call that a sample makes is seen by a TorchFunctionMode, whatever the form: functions, methods, in-place
forms, operators. Backward entries hold the gradients of the call's tensor arguments for normally distributed arriving gradients.
"""
import argparse
import json
import os
import warnings

import numpy
import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.testing._internal.common_methods_invocations import op_db

FAMILIES = {"torch.nn.functional": "Functional", "torch._C._nn": "Functional", "torch.Tensor": "Tensor", "torch": "Torch",
            "torch._VF": "VF", "torch.linalg": "Torch", "torch._C._linalg": "Torch", "torch.fft": "Torch.fft",
            "torch._C._fft": "Torch.fft", "torch.special": "Torch.special", "torch._C._special": "Torch.special"}


def api_name(func):
    """"Torch.linalg_norm" -> as the recording tool names it; None for what no dump names."""
    path = resolve_name(func)
    if path is None or ".__get__" in path or ".__set__" in path:
        return None
    module, _, name = path.rpartition(".")
    family = FAMILIES.get(module)
    if family is None:
        return None
    for prefix in ("linalg_", "fft_", "special_"):
        if family.startswith("Torch") and module.startswith("torch._C.") and name.startswith(prefix):
            name = name[len(prefix):]
    return family + "." + name


class Recorder(TorchFunctionMode):
    """Keeps (name, func, args, kwargs) of the outermost calls, with tensors copied before the call."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = api_name(func)
        with torch._C.DisableTorchFunction():
            if name is not None:
                self.calls.append((name, func, copied(args), copied(kwargs)))
            return func(*args, **kwargs)


def copied(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone(memory_format=torch.contiguous_format).requires_grad_(value.requires_grad)
    if isinstance(value, torch.Size):
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(copied(item) for item in value) if type(value) in (list, tuple) else [copied(i) for i in value]
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return value


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in tensors_in(item)]
    if isinstance(value, dict):
        return [t for item in value.values() for t in tensors_in(item)]
    return []


class Unrecordable(Exception):
    pass


class Writer:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, "dump_tensor_data"), exist_ok=True)
        self.forward, self.backward, self.calls, self.counters = {}, {}, {}, {}

    def element(self, value, key, path, is_dtype=False):
        if value is None:
            return None
        if isinstance(value, torch.Tensor):
            return self.tensor(value, key, path)
        if isinstance(value, bool):
            return {"type": "bool", "value": value}
        if isinstance(value, int):
            return {"type": "int", "value": int(value)}
        if isinstance(value, float):
            return {"type": "float", "value": value}
        if isinstance(value, str):
            return {"type": "str", "value": value}
        if isinstance(value, torch.dtype) and is_dtype:
            return {"type": "torch.dtype", "value": str(value)}
        if isinstance(value, torch.device) and path == "device":
            return {"type": "torch.device", "value": str(value)}
        if isinstance(value, torch.memory_format):
            return {"type": "torch.memory_format", "format": str(value)[6:]}
        if isinstance(value, torch.Size):
            return {"type": "torch.Size", "value": list(value)}
        if isinstance(value, slice):
            return {"type": "slice", "value": [value.start, value.stop, value.step]}
        if value is Ellipsis:
            return {"type": "ellipsis", "value": "..."}
        if isinstance(value, (list, tuple)):
            return [self.element(item, key, f"{path}.{i}") for i, item in enumerate(value)]
        raise Unrecordable(type(value).__name__)

    def tensor(self, value, key, path):
        if value.layout != torch.strided or value.is_quantized or value.device.type != "cpu":
            raise Unrecordable("layout")
        out = {"type": "torch.Tensor", "dtype": str(value.dtype), "shape": list(value.shape), "Max": None, "Min": None, "Mean": None,
               "Norm": None, "requires_grad": value.requires_grad}
        if value.numel():
            plain = value.detach().resolve_conj().resolve_neg()
            plain = plain.float() if plain.dtype == torch.bfloat16 else plain
            if plain.dtype == torch.complex32:
                raise Unrecordable("complex32")
            out["data_name"] = f"{key}.{path}.npy"
            numpy.save(os.path.join(self.folder, "dump_tensor_data", out["data_name"]), plain.contiguous().numpy())
        return out

    def add(self, name, func, args, kwargs, notes):
        index = self.counters.get(name, 0)
        key = f"{name}.{index}.forward"
        entry = {"input_args": [self.element(a, key, f"input.{i}") for i, a in enumerate(args)],
                 "input_kwargs": {k: self.element(v, key, k, k == "dtype") for k, v in kwargs.items()}}
        run_args, run_kwargs = copied(args), copied(kwargs)
        leaves = [t for t in tensors_in(run_args) + tensors_in(run_kwargs)]
        wants_grad = any(t.requires_grad for t in leaves)
        if wants_grad:
            hidden = {id(t): t * 1 for t in leaves if t.requires_grad}
            run_args, run_kwargs = replaced(run_args, hidden), replaced(run_kwargs, hidden)
        result = func(*run_args, **run_kwargs)
        returned = list(result) if isinstance(result, tuple) and not isinstance(result, torch.Size) else [result]
        entry["output"] = [self.element(r, key, f"output.{i}") for i, r in enumerate(returned)]
        if isinstance(result, torch.Size):
            entry["output"] = entry["output"][0]
        self.counters[name] = index + 1
        self.forward[key] = entry
        self.calls[f"{name}.{index}"] = {"notes": notes}
        outputs = [t for t in tensors_in(returned)]
        if wants_grad and any(t.requires_grad for t in outputs):
            self.add_backward(name, index, leaves, outputs)

    def add_backward(self, name, index, leaves, outputs):
        key = f"{name}.{index}.backward"
        arriving = [torch.randn_like(t) if t.requires_grad else None for t in outputs]
        wanted = [t for t in leaves if t.requires_grad]
        found = torch.autograd.grad([t for t in outputs if t.requires_grad], wanted, [g for g in arriving if g is not None],
                                    allow_unused=True)
        by_leaf = {id(t): g for t, g in zip(wanted, found)}
        self.backward[key] = {"input": [self.element(g, key, f"input.{i}") for i, g in enumerate(arriving)],
                              "output": [self.element(by_leaf.get(id(t)), key, f"output.{i}") for i, t in enumerate(leaves)]}

    def close(self):
        data = dict(self.forward)
        data.update(reversed(list(self.backward.items())))
        dump = {"task": "tensor", "level": "L1", "framework": "pytorch", "dump_data_dir": "dump_tensor_data", "data": data}
        for file, content in (("dump.json", dump), ("calls.json", self.calls), ("construct.json", {})):
            with open(os.path.join(self.folder, file), "w", encoding="utf-8") as f:
                json.dump(content, f, indent=1)


def replaced(value, by_id):
    if isinstance(value, torch.Tensor):
        return by_id.get(id(value), value)
    if isinstance(value, torch.Size):
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(replaced(item, by_id) for item in value)
    if isinstance(value, dict):
        return {key: replaced(item, by_id) for key, item in value.items()}
    return value


def kind_of(value):
    """What makes two calls of one API different in form."""
    if isinstance(value, torch.Tensor):
        return ("t", min(value.dim(), 1), str(value.dtype))
    if isinstance(value, (list, tuple)):
        return tuple(kind_of(item) for item in value[:2])
    return value if isinstance(value, (str, bool)) else type(value).__name__


def is_random(func, args, kwargs):
    def run(seed):
        torch.manual_seed(seed)
        return tensors_in(func(*copied(args), **copied(kwargs)))
    with torch.no_grad():
        first, second = run(1), run(2)
    return not all(a.shape == b.shape and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b)) for a, b in zip(first, second))


def record(op, dtype, writer, seen, per_name):
    requires_grad = op.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
    forms = [op.op, op.method_variant, op.inplace_variant, op.operator_variant, op.inplace_operator_variant]
    forms += [f for alias in op.aliases for f in (alias.op, alias.method_variant, alias.inplace_variant)]
    for number, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=requires_grad)):
        if number >= 40:
            break
        for form in forms:
            if form is None:
                continue
            recorder = Recorder()
            try:
                with recorder, torch.no_grad():
                    form(copied(sample.input), *copied(list(sample.args)), **copied(sample.kwargs))
            except Exception:
                continue
            for name, func, args, kwargs in recorder.calls:
                kind = (name, str(dtype), kind_of(args), tuple((k, kind_of(v)) for k, v in sorted(kwargs.items())))
                count = (name, str(dtype))
                if kind in seen or seen.get(count, 0) >= per_name:
                    continue
                try:
                    notes = ["changes with the seed"] if is_random(func, args, kwargs) else []
                    torch.manual_seed(7)
                    writer.add(name, func, args, kwargs, notes)
                    seen[kind] = True
                    seen[count] = seen.get(count, 0) + 1
                except Exception:
                    continue


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--dtypes", default="float32")
    parser.add_argument("--per-name", type=int, default=3)
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    for text in options.dtypes.split(","):
        dtype = getattr(torch, text)
        writer = Writer(os.path.join(options.out, text))
        seen = {}
        for op in op_db:
            if options.filter in op.name and dtype in op.supported_dtypes("cpu"):
                record(op, dtype, writer, seen, options.per_name)
        writer.close()
        print(text, len(writer.forward), "forward", len(writer.backward), "backward", len(writer.counters), "names")


if __name__ == "__main__":
    main()
