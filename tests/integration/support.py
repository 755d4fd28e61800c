"""What the integration tests share: the built executable, the unpacked recordings, reading result files."""

import csv
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["ASSAY_BUILD_DIR"])
SOURCE = Path(os.environ["ASSAY_SOURCE_DIR"])
ASSAY = BUILD / "bin" / "assay"
DATA = BUILD / "test-data"
EXAMPLE = SOURCE / "examples" / "llama_mint_tensor"


def run(*arguments, env=None, timeout=600):
    """Runs assay; returns the finished process with text output."""
    return subprocess.run(
        [str(ASSAY), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
    )


def rows(path):
    """The rows of a CSV file as dictionaries, checked to be rectangular."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = list(csv.reader(file))
    for line in lines:
        assert len(line) == len(lines[0]), f"{path}: {line}"
    return [dict(zip(lines[0], line)) for line in lines[1:]]


class TestCase(unittest.TestCase):
    """A test with a scratch folder of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def check(self, dump, *arguments, expect=None):
        """`assay check` into a folder; returns (process, folder)."""
        out = self.scratch / f"out{len(list(self.scratch.iterdir()))}"
        process = run("check", dump, "--out", out, *arguments)
        if expect is not None:
            self.assertEqual(process.returncode, expect, process.stdout + process.stderr)
        return process, out

    def write_dump(self, data, **header):
        """A dump.json in a folder of its own from entries; returns the folder."""
        folder = self.scratch / f"dump{len(list(self.scratch.iterdir()))}"
        (folder / "dump_tensor_data").mkdir(parents=True)
        document = {
            "task": "tensor",
            "level": "L1",
            "framework": "pytorch",
            "dump_data_dir": "dump_tensor_data",
            **header,
            "data": data,
        }
        (folder / "dump.json").write_text(json.dumps(document), encoding="utf-8")
        return folder
