"""Every text that assay prints or writes is what was approved, but for times, paths and versions.

expected/ holds the approved texts; scripts/approve replaces them by what comes out now.
"""

import base64
import difflib
import json
import os
import re
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

BUILD = Path(os.environ["ASSAY_BUILD_DIR"])
SOURCE = Path(os.environ["ASSAY_SOURCE_DIR"])
HERE = SOURCE / "tests" / "golden"
APPROVE = bool(os.environ.get("ASSAY_APPROVE"))

COMMANDS = ("check", "compare", "perturb", "report", "plugins", "plugins validate", "explain", "completion", "man", "merge", "watch")
# The first match wins, so the longer ones come first.
MASKS = (
    (r'"(target|reference)_ms":[0-9.e+-]+', r'"\1_ms":<ms>'),
    (r'("(?:target|reference)_bytes":)[0-9]+', r"\1<bytes>"),
    (r'("(?:plain_)?seconds"): [0-9.e+-]+', r"\1: <s>"),
    (r"\bin [0-9.]+ s\b", "in <s>"),
    (r"operator once: [0-9.]+ s", "operator once: <s>"),
    (r"(cost of a check, in runs of each operator:).*", r"\1 <ratios>"),
    (r'("crc32": ")[0-9a-f]+', r"\1<crc>"),
    (r"(BLAS [^,]*), [0-9]+ threads, CPU capability \w+", r"<details>"),
    (r"LibTorch [0-9.]+[0-9a-z+]*", "LibTorch <version>"),
    (r'("version": ")[0-9.]+[0-9a-z+]*', r"\1<version>"),
    (r'("assay": ")[0-9.]+', r"\1<version>"),
    (r"assay [0-9]+\.[0-9]+\.[0-9]+", "assay <version>"),
)


def dump_with_an_error(folder):
    """Calls whose numbers are exact on every machine: one is right, one wrong, one has no file, one no adapter."""
    def tensor(name, shape):
        return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "Max": 4.0, "Min": -2.0, "Mean": 1.0, "Norm": 5.0,
                "requires_grad": False, "data_name": name}

    def entry(inputs, outputs):
        return {"input_args": [tensor(name, [2, 3]) for name in inputs], "input_kwargs": {},
                "output": [tensor(name, [2, 3]) for name in outputs]}

    folder.mkdir()
    for name, values in (("a.npy", (1, -2, 4, 0.5, 0, 2)), ("minus_a.npy", (-1, 2, -4, -0.5, 0, -2.5))):
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".ljust(117) + "\n"
        (folder / name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + struct.pack("<6f", *values))
    (folder / "dump.json").write_text(json.dumps({
        "task": "tensor", "level": "L1", "framework": "pytorch", "dump_data_dir": ".",
        "data": {
            "Torch.clone.0.forward": entry(["a.npy"], ["a.npy"]),
            "Torch.neg.0.forward": entry(["a.npy"], ["minus_a.npy"]),
            "Torch.abs.0.forward": entry(["a.npy"], ["lost.npy"]),
            "Torch.nothing.0.forward": entry(["a.npy"], ["a.npy"]),
            "Module.layer.0.forward": entry(["a.npy"], ["a.npy"]),
        }}))


class Golden(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        dump_with_an_error(cls.scratch / "dump")

    def assay(self, *arguments, code=0):
        process = subprocess.run([BUILD / "bin" / "assay", *map(str, arguments)], cwd=self.scratch, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, timeout=120, env={**os.environ, "ASSAY_LOG": "off", "HOME": str(self.scratch)})
        self.assertEqual(process.returncode, code, process.stdout + process.stderr)
        return process.stdout + ("--- stderr\n" + process.stderr if process.stderr else "")

    def approve(self, name, text):
        for path, word in ((self.scratch, "<scratch>"), (BUILD, "<build>"), (SOURCE, "<source>")):
            text = text.replace(str(path), word)
        for pattern, replacement in MASKS:
            text = re.sub(pattern, replacement, text)
        expected = HERE / "expected" / name
        if APPROVE:
            expected.write_bytes(text.encode())
            return
        self.assertTrue(expected.exists(), f"{name} is new; scripts/approve accepts it")
        approved = expected.read_bytes().decode()
        if approved != text:
            difference = difflib.unified_diff(approved.splitlines(), text.splitlines(), "approved", "now", lineterm="")
            self.fail(f"{name} differs; scripts/approve accepts it:\n" + "\n".join(difference))

    def file(self, path):
        return path.read_bytes().decode()

    def test_help_and_manuals(self):
        self.approve("help.txt", self.assay("--help"))
        for command in COMMANDS:
            words = command.split()
            self.approve(f"help-{'-'.join(words)}.txt", self.assay(*words, "--help"))
        folder = self.scratch / "man"
        self.assay("man", "--out", folder)
        pages = sorted(folder.iterdir())
        self.assertEqual(len(pages), len(COMMANDS) + 1)
        self.approve("assay.1", self.file(folder / "assay.1"))
        self.approve("assay-report.1", self.file(folder / "assay-report.1"))
        for page in pages:
            process = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
            problems = [line for line in process.stdout.splitlines() if "missing date" not in line]
            self.assertEqual(problems, [], page)

    def test_completions(self):
        for shell in ("bash", "zsh"):
            text = self.assay("completion", shell)
            self.approve(f"completion.{shell}", text)
            process = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True)
            self.assertEqual((process.returncode, process.stderr), (0, ""))

    def complete(self, *words):
        """What bash offers for the last word."""
        script = self.assay("completion", "bash") + f"""
            COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}
            compopt() {{ :; }}
            _assay; printf '%s\\n' "${{COMPREPLY[@]}}" """
        process = subprocess.run(["bash", "-c", script], cwd=self.scratch, capture_output=True, text=True,
                                 env={**os.environ, "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}"})
        self.assertEqual(process.stderr, "")
        return process.stdout.split()

    def test_bash_completes_commands_options_and_values(self):
        self.assertEqual(self.complete("assay", "co"), ["compare", "completion"])
        self.assertIn("--baseline", self.complete("assay", "report", "--"))
        self.assertNotIn("--worker", self.complete("assay", "check", "--"))
        self.assertEqual(self.complete("assay", "report", "--format", "j"), ["junit", "jsonl"])
        self.assertEqual(self.complete("assay", "check", "--out", "du"), ["dump"])
        self.assertEqual(self.complete("assay", "check", "dump/du"), ["dump/dump.json"])
        self.assertIn("--timeout", self.complete("assay", "plugins", "validate", "--"))
        self.assertIn("ASSAY-CMP-004", self.complete("assay", "explain", "ASSAY-CMP-00"))

    def test_zsh_loads_its_completion(self):
        script = "autoload -U compinit; compinit -D -u; " + self.assay("completion", "zsh") + "; print $_comps[assay]; whence -w _assay"
        process = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True)
        self.assertEqual((process.stdout, process.stderr), ("_assay\n_assay: function\n", ""))

    def test_check(self):
        out = self.scratch / "checked"
        self.approve("check.txt", self.assay("check", "dump", "--out", out, "--format", "junit", "--format", "md", "--no-color", code=1))
        for name in ("details.csv", "result.csv", "results.jsonl", "run.json", "summary.md"):
            self.approve(f"check-{name}", self.file(out / name))
        self.approve("check-api.txt", self.assay("check", "dump", "--api", "Torch.neg.0", code=1))
        self.approve("check-quiet.txt", self.assay("check", "dump", "--api", "Torch.clone.*", "-q"))

    def test_reports_of_a_stored_run(self):
        out = self.scratch / "rebuilt"
        formats = ("html", "junit", "md", "csv", "jsonl", "msprobe")
        text = self.assay("report", HERE / "run", "--out", out, "--baseline", HERE / "baseline", *(f"--format={f}" for f in formats))
        self.approve("report.txt", text)
        for name in ("junit.xml", "summary.md", "details.csv", "result.csv", "times.csv"):
            self.approve(f"report-{name}", self.file(out / name))
        self.assertEqual(self.file(out / "results.jsonl"), self.file(HERE / "run" / "results.jsonl"))
        for path in out.glob("accuracy_checking_*.csv"):
            self.approve("report-" + re.sub(r"_[0-9]{14}", "", path.name), self.file(path))
        page = self.file(out / "report.html")
        page = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", page, flags=re.DOTALL)
        page = re.sub(r'(class="details">)([^<]*)', lambda m: m[1] + zlib.decompress(base64.b64decode(m[2])).decode(), page)
        self.approve("report.html", page)

    def test_compare(self):
        out = self.scratch / "compared"
        self.approve("compare.txt", self.assay("compare", HERE / "run", HERE / "baseline", "--out", out, code=1))
        self.approve("compare.csv", self.file(out / "compare.csv"))
        self.approve("compare.json", self.file(out / "compare.json"))

    def test_perturb(self):
        out = self.scratch / "perturbed"
        text = self.assay("perturb", "dump", "--api", "Torch.neg.0", "--perturbation", "change-value", "--out", out)
        self.approve("perturb.txt", text)
        self.approve("perturb-run.json", re.sub(r'("change-value": )[0-9.]+', r"\1<ratio>", self.file(out / "run.json")))
        for name in ("perturb.csv", "ranking.csv"):
            lines = [",".join(line.split(",")[:23]) for line in self.file(out / name).splitlines()]
            self.approve(f"perturb-{name}", "\n".join(lines) + "\n")

    def test_explanations(self):
        self.approve("explain.txt", self.assay("explain"))
        self.approve("explain-code.txt", self.assay("explain", "ASSAY-CMP-004"))

    def test_errors_have_one_form(self):
        text = ""
        for arguments in (["chek"], ["check"], ["check", "--ouf", "x"], ["check", "nowhere"], ["check", "dump", "--standard", "none"],
                          ["report"], ["report", "dump"], ["report", HERE / "run", "--format", "pdf"], ["compare", "dump"],
                          ["compare", "dump", HERE / "run"], ["explain", "ASSAY-CMP-999"], ["plugins", "show", "assay.nothing"],
                          ["perturb", "dump", "--perturbation", "none"], ["completion", "fish"], ["man", "nothing"]):
            text += "$ assay " + " ".join(map(str, arguments)) + "\n" + self.assay(*arguments, code=2)
        for line in text.splitlines():
            self.assertRegex(line, r"^(\$ assay |--- stderr$|assay: cannot |assay: nothing )")
        self.approve("errors.txt", text)


if __name__ == "__main__":
    unittest.main()
