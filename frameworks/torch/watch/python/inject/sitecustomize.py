"""Runs at the start of every interpreter below `assay watch -- CMD`: first the sitecustomize that would have run without it, then a
hook on `import torch`."""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_the_next_one():
    others = [path for path in sys.path if os.path.abspath(path or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


class _TorchFinder(importlib.abc.MetaPathFinder):
    """Finds torch where everyone finds it, and calls the watch when it is loaded."""

    def find_spec(self, name, path, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        plain_exec = spec.loader.exec_module

        def exec_module(module):
            plain_exec(module)
            from assay.watch import _inject

            _inject.torch_imported()

        spec.loader.exec_module = exec_module
        return spec


if os.environ.get("ASSAY_WATCH_OUT"):
    sys.meta_path.insert(0, _TorchFinder())
_run_the_next_one()
