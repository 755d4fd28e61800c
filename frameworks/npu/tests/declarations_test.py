#!/usr/bin/env python3
"""Our declarations of the vendor's C interface and the table's signatures against what is known of the vendor's.

The known facts are in tests/data/npu. With ASSAY_NPU_HEADERS=<folder with acl/acl.h>, the vendor's own headers are compared too.
"""
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("ASSAY_SOURCE_DIR", Path(__file__).parents[3]))
FACTS = SOURCE / "tests/data/npu"
OURS = SOURCE / "frameworks/npu/acl"
HEADERS = os.environ.get("ASSAY_NPU_HEADERS", "")

SHORT_TYPES = {
    "const aclTensor*": "T", "aclTensor*": "T", "const aclTensorList*": "L", "aclTensorList*": "L", "const aclScalar*": "S",
    "const aclIntArray*": "I", "aclIntArray*": "I", "const aclFloatArray*": "F", "const aclBoolArray*": "B", "int64_t": "i64",
    "uint64_t": "u64", "int32_t": "i32", "int": "i32", "int8_t": "i8", "bool": "b", "double": "f64", "float": "f32",
    "aclDataType": "dt", "char*": "str", "const char*": "str"}
ROLES = {"in": "", "attr": "", "out": "!", "inout": "&"}


def compile_text(text, *include):
    """What the compiler complains of; empty: nothing."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "asserts.cpp"
        source.write_text(text)
        command = ["c++", "-std=c++17", "-fsyntax-only", *[f"-I{i}" for i in include], str(source)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return run.stderr if run.returncode else ""


def declared_functions():
    """{name: function type} of everything that our headers declare, in the compiler's words."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "all.c"
        source.write_text('#include "acl/aclnn.h"\n#include "acl/runtime.h"\n')
        prototypes = Path(folder) / "prototypes"
        subprocess.run(["gcc", "-std=c11", f"-I{OURS.parent}", "-aux-info", prototypes, "-fsyntax-only", source], check=True)
        functions = {}
        for line in prototypes.read_text().splitlines():
            match = re.match(r"/\* \S*frameworks/npu/acl/\S+ \*/ extern (.*?)(acl\w+) \((.*)\);", line)
            if match:
                functions[match[2]] = f"{match[1].strip()} ({match[3]})".replace("_Bool", "bool")
        return functions


def declared_values():
    """{name: value} of every enumerator and error code of our headers."""
    values = {}
    for header in OURS.glob("*.h"):
        for name, value in re.findall(r"^\s+(ACL\w*) = (-?\w+),", header.read_text(), re.MULTILINE):
            values[name] = int(value, 0)
    for name, value in re.findall(r"^ASSAY_ACL_ERROR\((\w+), (\d+)\)", (OURS / "errors.def").read_text(), re.MULTILINE):
        values[name] = int(value)
    return values


def same_function(name, function_type):
    return f'static_assert(std::is_same_v<decltype({name}), {function_type}>, "{name}");\n'


def same_value(name, value):
    return f'static_assert(static_cast<long long>({name}) == {value}, "{name}");\n'


class Facts(unittest.TestCase):
    def setUp(self):
        self.facts = json.loads((FACTS / "acl_facts.json").read_text())

    def test_our_functions_have_the_known_types(self):
        text = '#include <type_traits>\n#include "acl/aclnn.h"\n'
        for name, (result, *parameters) in self.facts["functions"].items():
            types = ", ".join(p if p == "..." else re.sub(r"\s*\b\w+$", "", p) for p in parameters)
            text += same_function(name, f"{result}({types})")
        self.assertEqual(compile_text(text, OURS.parent), "")
        self.assertEqual(sorted(declared_functions()), sorted(self.facts["functions"]))

    def test_our_values_are_the_known_ones(self):
        known = {name: value for values in self.facts["enums"].values() for name, value in values.items()}
        text = '#include "acl/aclnn.h"\n#include "acl/error.h"\n' + "".join(same_value(*item) for item in known.items())
        self.assertEqual(compile_text(text, OURS.parent), "")
        known.update(self.facts["errors"])
        for name, value in declared_values().items():
            self.assertEqual(known.get(name, 0 if name.endswith("SUCCESS") else None), value, name)

    def test_a_wrong_type_or_value_is_seen(self):
        text = '#include <type_traits>\n#include "acl/aclnn.h"\n'
        self.assertIn("aclInit", compile_text(text + same_function("aclInit", "aclError(char*)"), OURS.parent))
        self.assertIn("ACL_BOOL", compile_text(text + same_value("ACL_BOOL", 11), OURS.parent))

    def test_signatures_of_the_table_are_the_known_ones(self):
        known = {}
        for line in (FACTS / "aclnn_signatures.txt").read_text().splitlines():
            if line.startswith("#"):
                continue
            name, parameters = line.split(": ")
            parts = []
            for parameter in parameters.split("; "):
                parameter_name, ctype, role = parameter.split("|")
                optional = "?" if role.endswith("?") else ""
                parts.append(f"{parameter_name}:{SHORT_TYPES[ctype]}{ROLES[role.rstrip('?')]}{optional}")
            known[name] = " ".join(parts)
        table = json.loads((SOURCE / "configs/apis/aclnn.json").read_text())
        self.assertGreaterEqual(len(table["operators"]), 150)
        for name, signature in table["operators"].items():
            self.assertEqual(signature, known.get(name), name)


@unittest.skipUnless(HEADERS, "ASSAY_NPU_HEADERS names no folder with the vendor's headers")
class VendorsHeaders(unittest.TestCase):
    PRELUDE = "#include <type_traits>\n#include <acl/acl.h>\n#include <acl/acl_op_compiler.h>\n"

    def test_our_functions_have_the_vendors_types(self):
        # The headers hold the runtime; those of the object library are not among them.
        text = self.PRELUDE
        runtime = {n: t for n, t in declared_functions().items() if "aclnnStatus" not in t and not n.startswith("aclCreate")}
        self.assertGreater(len(runtime), 90)
        for name, function_type in runtime.items():
            text += same_function(name, function_type)
        self.assertEqual(compile_text(text, HEADERS), "")

    def test_our_values_are_the_vendors(self):
        text = self.PRELUDE
        values = {n: v for n, v in declared_values().items() if not n.startswith("ACLNN_")}
        self.assertGreater(len(values), 300)
        for name, value in values.items():
            text += same_value(name, value)
        self.assertEqual(compile_text(text, HEADERS), "")

    def test_structures_and_handles_are_laid_out_as_the_vendors(self):
        ours = '#include <type_traits>\n#include "acl/aclnn.h"\n'
        checks = "".join(f"static_assert(std::is_same_v<{handle}, void*>);\n" for handle in ("aclrtStream", "aclrtEvent", "aclrtContext"))
        checks += "static_assert(std::is_same_v<aclError, int> && sizeof(aclFloat16) == 2);\n"
        checks += "static_assert(sizeof(aclDataType) == 4 && sizeof(aclFormat) == 4 && sizeof(aclrtMemcpyKind) == 4);\n"
        offset = 0
        for member, size in (("version", 128), ("majorVersion", 64), ("minorVersion", 64), ("releaseVersion", 64), ("patchVersion", 64)):
            checks += f"static_assert(__builtin_offsetof(aclCANNPackageVersion, {member}) == {offset});\n"
            offset += size
        checks += f"static_assert(sizeof(aclCANNPackageVersion) == {offset + 128});\n"
        self.assertEqual(compile_text(ours + checks, OURS.parent), "")
        self.assertEqual(compile_text(self.PRELUDE + checks, HEADERS), "")


if __name__ == "__main__":
    unittest.main()
