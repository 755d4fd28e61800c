"""Symbols of the emulator's libraries: both layouts export the interface, and a missing operator or an old version looks it."""

import ctypes
import json
import os
import subprocess
import sys
import unittest

LOOK = """
import ctypes, sys
libraries = [ctypes.CDLL(path, ctypes.RTLD_GLOBAL) for path in sys.argv[1].split(":")]
for name in sys.argv[2:]:
    print(int(any(hasattr(library, name) for library in libraries)), end="")
"""
EMULATORS = os.path.join(os.environ["ASSAY_BUILD_DIR"], "lib", "emulators")
OLD = [os.path.join(EMULATORS, "npu/lib64", f"lib{name}.so") for name in ("ascendcl", "nnopbase", "opapi")]
SPLIT = [os.path.join(EMULATORS, "npu-9/lib64", f"lib{name}.so") for name in ("acl_rt", "nnopbase", "opapi_math", "opapi_nn", "opapi_cv", "opapi_transformer")]
TABLE = os.path.join(os.environ["ASSAY_SOURCE_DIR"], "tests/emulators/npu/operators.json")


def found(libraries, names, **settings):
    """For each name whether it is there, in a process of its own."""
    environment = dict(os.environ, ASSAY_NPU_EMULATOR=json.dumps(settings))
    run = subprocess.run([sys.executable, "-c", LOOK, ":".join(libraries), *names], env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return [digit == "1" for digit in run.stdout]


class Symbols(unittest.TestCase):
    def test_both_layouts_export_every_operator_and_the_runtime(self):
        with open(TABLE) as file:
            operators = [op["name"] for op in json.load(file)]
        names = ["aclInit", "aclrtMalloc", "aclCreateTensor", "aclFinalizeReference", *operators, *(f"{name}GetWorkspaceSize" for name in operators)]
        for libraries in (OLD, SPLIT):
            there = found(libraries, names)
            self.assertEqual([name for name, is_there in zip(names, there) if not is_there], [])

    def test_a_missing_operator_lacks_both_functions_and_nothing_else(self):
        names = ["aclnnErf", "aclnnErfGetWorkspaceSize", "aclnnErfc", "aclnnExp"]
        for libraries in (OLD, SPLIT):
            self.assertEqual(found(libraries, names, missing=["aclnnErf"]), [False, False, True, True])

    def test_an_old_version_lacks_what_came_later(self):
        names = ["aclFinalizeReference", "aclrtGetDeviceInfo", "aclInit"]
        self.assertEqual(found(OLD, names, version="8.1"), [False, False, True])
        self.assertEqual(found(OLD, names, version="9.1"), [True, True, True])
        with open(TABLE) as file:
            newer = [op["name"] for op in json.load(file) if op.get("since") == "9"]
        self.assertFalse(any(found(OLD, newer, version="8.1")))


if __name__ == "__main__":
    unittest.main()
