#!/usr/bin/env python3
"""Writes the exported functions of one library of operators: generate.py operators.json LIBRARY[,LIBRARY] OUTPUT.cpp

LIBRARY is math, nn, cv or transformer, as the split libraries are called. Each operator gets both of its phases and, where it has
one, the same for its in-place twin. With "newer" as LIBRARY, the output is a header with the names that CANN 8.1 lacks."""

import json
import pathlib
import sys

DTYPES = {
    "FLOAT": 0, "FLOAT16": 1, "INT8": 2, "INT32": 3, "UINT8": 4, "INT16": 6, "UINT16": 7, "UINT32": 8, "INT64": 9, "UINT64": 10,
    "DOUBLE": 11, "BOOL": 12, "COMPLEX64": 16, "COMPLEX128": 17, "BF16": 27, "COMPLEX32": 33,
}  # fmt: skip
FORMATS = {
    "NCHW": 0, "NHWC": 1, "ND": 2, "HWCN": 16, "NDHWC": 27, "FRACTAL_NZ": 29, "NCDHW": 30, "NC": 35, "NCL": 47,
}  # fmt: skip
# C type of a parameter -> (our Type, how the exported function declares it).
TYPES = {
    "tensor": ("kTensor", "const void*"),
    "tensors": ("kTensorList", "const void*"),
    "scalar": ("kScalar", "const void*"),
    "ints": ("kIntArray", "const void*"),
    "floats": ("kFloatArray", "const void*"),
    "bools": ("kBoolArray", "const void*"),
    "text": ("kText", "const void*"),
    "int64": ("kInteger", "std::int64_t"),
    "uint64": ("kInteger", "std::uint64_t"),
    "int32": ("kInteger", "std::int32_t"),
    "int8": ("kInt8", "std::int8_t"),
    "bool": ("kBool", "std::uint8_t"),
    "double": ("kReal", "double"),
    "float": ("kReal", "float"),
    "dtype": ("kDtype", "std::int32_t"),
}
# In a register, a caller extends small integers, so that dirty upper bits can be seen; on the stack only their byte has a meaning.
IN_REGISTER = {"int8": "SmallInt", "bool": "SmallBool"}
REGISTERS = 6
ROLES = {"in": "kIn", "out": "kOut", "inout": "kInOut", "attr": "kAttribute"}


def mask(names, values):
    return sum(1 << values[name] for name in names if name in values)


def parameter(p, names):
    low, _, high = p["rank"].partition("-") if "rank" in p else ("-1", "", "-1")
    same = names.index(p["same_dtype"]) if p.get("same_dtype") in names else -1
    fields = (
        json.dumps(p["name"]),
        f"Type::{TYPES[p['type']][0]}",
        f"Role::{ROLES[p['role']]}",
        str(p.get("optional", False)).lower(),
        str(p.get("contiguous", False)).lower(),
        str(same),
        low,
        high or low,
        f"{mask(p.get('dtypes', []), DTYPES):#x}",
        f"{mask(p.get('formats', []), FORMATS):#x}",
    )
    return "{" + ", ".join(fields) + "}"


def in_place(op):
    """The twin that writes its first tensor, and where the plain kernel's parameters come from in it."""
    kept = [dict(p) for p in op["params"] if p["role"] != "out"]
    first = next(i for i, p in enumerate(kept) if p["type"] == "tensor")
    kept[first].update(role="inout")
    kept[first].pop("optional", None)
    places = iter(range(len(kept)))
    return {"name": op["inplace"], "params": kept}, [first if p["role"] == "out" else next(places) for p in op["params"]]


def c_types(params):
    used = 0
    for p in params:
        in_register = used < REGISTERS
        used += p["type"] not in ("double", "float")
        yield IN_REGISTER.get(p["type"], TYPES[p["type"]][1]) if in_register else TYPES[p["type"]][1]


def exported(op, kernel, kernel_parameters, places, nondeterministic, out):
    short = op["name"].removeprefix("aclnn")
    names = [p["name"] for p in op["params"]]
    if op["name"] == kernel:
        kernel_parameters = f"k{short}Parameters"
    out.append(f"const Parameter k{short}Parameters[] = {{")
    out.extend(f"    {parameter(p, names)}," for p in op["params"])
    out.append("};")
    out.append(f"const std::int8_t k{short}Places[] = {{{', '.join(map(str, places))}}};")
    out.append(
        f'const Operator k{short} = {{"{op["name"]}", "{op["name"]}GetWorkspaceSize", "{kernel}", k{short}Parameters, {len(names)}, '
        f"{kernel_parameters}, {len(places)}, k{short}Places, {str(nondeterministic).lower()}}};"
    )
    declared = "".join(f"{c_type} p{i}, " for i, c_type in enumerate(c_types(op["params"])))
    given = ", ".join(f"static_cast<double>(p{i})" if p["type"] == "float" else f"p{i}" for i, p in enumerate(op["params"]))
    out.append(f"ASSAY_EMULATOR_EXPORT aclnnStatus {op['name']}GetWorkspaceSize({declared}std::uint64_t* size, aclOpExecutor** executor) {{")
    out.append(f"  const Argument arguments[] = {{{given}}};")
    out.append(f"  return plan(k{short}, arguments, size, executor);")
    out.append("}")
    out.append(f"ASSAY_EMULATOR_EXPORT aclnnStatus {op['name']}(void* space, std::uint64_t size, aclOpExecutor* executor, aclrtStream stream) {{")
    out.append(f"  return launch(k{short}, space, size, executor, stream);")
    out.append("}")


def newer(operators):
    names = [name for op in operators if op.get("since") == "9" for name in (op["name"], op.get("inplace")) if name]
    return ["#include <string_view>", "constexpr std::string_view kNewerOperators[] = {", *(f'    "{name}",' for name in names), "};"]


def main():
    table, libraries, output = sys.argv[1:]
    if libraries == "newer":
        pathlib.Path(output).write_text("\n".join(newer(json.loads(pathlib.Path(table).read_text()))) + "\n")
        return
    out = ['#include "core/operators.hpp"', "", "using namespace assay::emulator;", ""]
    for op in json.loads(pathlib.Path(table).read_text()):
        if op["lib"] not in libraries.split(","):
            continue
        short = op["name"].removeprefix("aclnn")
        nondeterministic = op.get("nondeterministic", False)
        exported(op, op["name"], None, list(range(len(op["params"]))), nondeterministic, out)
        if "inplace" in op:
            twin, places = in_place(op)
            exported(twin, op["name"], f"k{short}Parameters", places, nondeterministic, out)
    pathlib.Path(output).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
