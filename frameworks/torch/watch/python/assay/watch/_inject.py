"""Watches a script that knows nothing of it: what `assay watch -- python train.py` puts into the interpreter.

The watch starts when the first optimizer is made, so that neither launchers nor data loaders are watched, and a step ends with each
`step()` of that optimizer. ASSAY_WATCH_FROM=import starts it as soon as PyTorch is imported, for scripts without one.
"""

import atexit
import functools
import os
import sys

_watch = None
_first_optimizer = None


def torch_imported():
    """Called once, when `import torch` has finished."""
    if os.environ.get("ASSAY_WATCH_FROM") == "import":
        _begin()
    from torch.optim import Optimizer

    plain_init = Optimizer.__init__

    @functools.wraps(plain_init)
    def init(self, *args, **kwargs):
        plain_init(self, *args, **kwargs)
        global _first_optimizer
        if _first_optimizer is None:
            _first_optimizer = id(self)
            _begin()
            self.register_step_post_hook(_end_step)

    Optimizer.__init__ = init


def _begin():
    global _watch
    if _watch is not None:
        return
    import assay.watch

    try:
        _watch = assay.watch.start(os.environ.get("ASSAY_WATCH_CONFIG") or None, os.environ["ASSAY_WATCH_OUT"])
    except assay.watch.WatchError as problem:
        print(f"assay: watch: {problem}; the job runs without it", file=sys.stderr)
        return
    atexit.register(_watch.stop)


def _end_step(*_):
    if _watch is not None:
        _watch.step()
