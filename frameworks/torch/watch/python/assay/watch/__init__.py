"""Free benchmarking inside a running PyTorch job: every operator is repeated on slightly changed inputs, the training stays as it is.

    import assay.watch

    with assay.watch.start({"budget": "5%"}, out="watch-out") as watch:
        for batch in batches:
            train_one_step(batch)
            watch.step()

The work is done by a library that is built for the version of PyTorch in use: `assay watch --setup`. `assay watch -- python train.py`
does all this for a script that knows nothing of it.
"""

import json
import os
import sys

from assay.watch import _library

__all__ = ["Watch", "start", "WatchError"]

WatchError = _library.WatchError


class Watch:
    """A running watch; `start` makes it. There is one in a process."""

    def __init__(self, library, out, modules):
        self._library = library
        self.out = out
        self._compiled_before = _compiled_functions()
        self._undo = [_library.watch_threads(library)]
        if modules:
            self._undo.append(_library.follow_modules(library))

    def step(self):
        """The end of a training step: its rows are handed to the kernel."""
        if self._library.assay_watch_step() != 0:
            print("assay watch: the rows of a step can't be written", file=sys.stderr)

    def stop(self):
        """The end of the watch; the summary is written. Stopping twice does nothing."""
        for undo in self._undo:
            undo()
        if self._undo:
            self._note_compiled()
            self._library.assay_watch_stop()
        self._undo = []

    def pause(self):
        """Nothing is checked or counted until `resume`: for warm-up and dummy calls."""
        self._library.assay_watch_pause(1)

    def resume(self):
        self._library.assay_watch_pause(0)

    def numbers(self):
        """What was seen so far, as a dictionary."""
        return _library.numbers(self._library)

    def _note_compiled(self):
        functions = _compiled_functions() - self._compiled_before
        if functions:
            text = f"{functions} functions were compiled (torch.compile): operators inside of them are not seen"
            self._library.assay_watch_note(text.encode())
            print(f"assay watch: {text}", file=sys.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def start(config=None, out="assay-watch", library=None):
    """Starts the watch for this thread, for threads made from now on, and for the backward pass.

    config   a dictionary, the path of a JSON file, JSON text, or None for what is shipped; MindStudio Probe's config.json is taken too
    out      folder of the results, with a folder rank<N> for each rank
    library  of the watch; by default the one that `assay watch --setup` built for this PyTorch
    """
    text = _config_text(config)
    loaded = _library.load(library)
    _library.start(loaded, text, os.fspath(out))
    return Watch(loaded, os.fspath(out), bool(json.loads(text or "{}").get("modules")))


def _compiled_functions():
    dynamo = sys.modules.get("torch._dynamo.utils")
    return dynamo.counters["frames"]["ok"] if dynamo else 0


def _config_text(config):
    if config is None:
        return ""
    if isinstance(config, dict):
        return json.dumps(config)
    config = os.fspath(config)
    if config.lstrip().startswith("{"):
        return config
    with open(config, encoding="utf-8") as file:
        return file.read()
