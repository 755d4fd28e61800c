"""The table of what the watch costs: rows of tiny models, each measured in a process of its own."""

import os
import subprocess
import unittest

from support import BUILD, SOURCE, TestCase, rows

INFLATION = BUILD / "bin" / "inflation"
PUBLISHED = SOURCE / "bench" / "inflation" / "data" / "published.csv"

# Model and the rest of a row as `--only` sees it, and how many calls of a step are in its scope.
EXPECTED = {
    'LLaMA2-7B check forward ["softmax"] improve_precision': 0,
    'LLaMA2-7B check forward ["softmax"] add_noise': 1,
    'LLaMA2-7B check forward ["matmul"] change_value': 5,
    'LLaMA2-7B check backward ["softmax"] change_value': 1,
    'ResNet50-Cifar fix forward ["conv2d"] to_cpu': 53,
    'OpenSora1.0 check forward ["linear", "npu_fusion_attention"] add_noise': 258 + 84,
}


def measure(*arguments, env=None):
    return subprocess.run(
        [str(INFLATION), "--scale", "32", "--narrow-scale", "32", "--repetitions", "1", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **(env or {})},
    )


def name_of(row):
    return " ".join(row[key] for key in ("model", "mode", "direction", "scope", "perturbation"))


class Inflation(TestCase):
    def table(self, *names):
        """The published rows of these names, in a file."""
        lines = PUBLISHED.read_text(encoding="utf-8").splitlines()
        chosen = [line for line, row in zip(lines[1:], rows(PUBLISHED)) if name_of(row) in names]
        self.assertEqual(len(chosen), len(names))
        path = self.scratch / "rows.csv"
        path.write_text("\n".join([lines[0], *chosen]) + "\n", encoding="utf-8")
        return path

    def test_a_row_checks_the_calls_of_its_scope(self):
        out = self.scratch / "out"
        process = measure("--rows", self.table(*EXPECTED), "--out", out)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        measured = {name_of(row): row for row in rows(out / "inflation.csv")}
        self.assertEqual(set(measured), set(EXPECTED))
        for name, calls in EXPECTED.items():
            row = measured[name]
            self.assertEqual(row["failure"], "", name)
            self.assertEqual(int(row["our_checked"] or 0), calls, name)
            self.assertGreater(float(row["our_time_inflation"]), 0.1, name)
            self.assertGreater(float(row["bound"]), 0.1, name)
            self.assertGreaterEqual(float(row["our_memory_inflation"]), 1, name)
            self.assertEqual(row["our_dtype"], "bfloat16" if "improve_precision" in name else "float32", name)
        for file in ("inflation.md", "inflation.svg", "report.html"):
            self.assertIn("ResNet50-Cifar", (out / file).read_text(encoding="utf-8"), file)

    def test_every_published_row_has_a_line_measured_or_not(self):
        out = self.scratch / "out"
        process = measure("--out", out, "--only", "Bloom-7B baseline")
        self.assertEqual(process.returncode, 0, process.stderr)
        lines = rows(out / "inflation.csv")
        self.assertEqual([name_of(line) for line in lines], [name_of(row) for row in rows(PUBLISHED)])
        self.assertEqual([line["model"] for line in lines if line["our_plain_ms"]], ["Bloom-7B"])

    def test_resuming_keeps_what_was_measured(self):
        out = self.scratch / "out"
        table = self.table('LLaMA2-7B check forward ["softmax"] add_noise')
        self.assertEqual(measure("--rows", table, "--out", out).returncode, 0)
        kept = (out / "rows" / "1.json").read_bytes()
        process = measure("--rows", table, "--out", out, "--resume")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual((out / "rows" / "1.json").read_bytes(), kept)

    def test_a_row_that_cannot_be_measured_is_said_and_fails_the_run(self):
        out = self.scratch / "out"
        table = self.table('LLaMA2-7B check forward ["softmax"] add_noise')
        process = measure("--rows", table, "--out", out, env={"ASSAY_HOME": str(self.scratch)})
        self.assertEqual(process.returncode, 1)
        self.assertIn("the process ended with exit code 2", rows(out / "inflation.csv")[0]["failure"])

    def test_a_malformed_table_is_refused(self):
        header = PUBLISHED.read_text(encoding="utf-8").splitlines()[0]
        for line, complaint in {
            "LLaMA2-7B,check,sideways,[],add_noise,1,1,2,2,": "direction 'sideways'",
            "LLaMA2-7B,check,forward,softmax,add_noise,1,1,2,2,": "scope 'softmax'",
            "LLaMA2-7B,check,forward,[],shake,1,1,2,2,": "there is no perturbation 'shake'",
            "LLaMA2-7B,check,forward,[],add_noise,1,1,0,2,": "two factors above 0",
            "GPT-9,check,forward,[],add_noise,1,1,2,2,": "there is no model 'GPT-9'",
        }.items():
            path = self.scratch / "rows.csv"
            path.write_text(header + "\n" + line + "\n", encoding="utf-8")
            process = measure("--rows", path, "--out", self.scratch / "out")
            self.assertEqual(process.returncode, 2, line)
            self.assertIn(complaint, process.stderr)


if __name__ == "__main__":
    unittest.main()
