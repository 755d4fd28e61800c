"""Two versions of LibTorch in one run: what changed between them is found, what didn't passes."""

import json
import os
import re
import subprocess
import unittest

from support import ASSAY, BUILD, DATA, EXAMPLE, SOURCE, TestCase, rows, run

SECOND = os.environ["ASSAY_SECOND_PLUGINS"]


def versions():
    """Those of the two builds, the older one first: "1.13", "2.15"."""
    found = []
    for folder in (BUILD / "lib" / "assay" / "plugins", SECOND):
        with open(os.path.join(folder, "torch", "manifest.json"), encoding="utf-8") as file:
            found.append([int(part) for part in json.load(file)["framework_version"].split(".")[:2]])
    return [".".join(map(str, version)) for version in sorted(found)]


class TwoVersions(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.old, cls.new = versions()
        assert cls.new != cls.old, "the test needs two builds"

    def both(self, dump, *options):
        process, out = self.check(dump, "--target", f"torch@{self.old}", "--reference", f"torch@{self.new}", "--plugin-path", SECOND, *options)
        record = json.loads((out / "run.json").read_text())
        for side, version in (("target", self.old), ("reference", self.new)):
            self.assertEqual(record[side]["framework"], "LibTorch")
            self.assertTrue(record[side]["version"].startswith(version + "."), record[side])
        return process, out, rows(out / "details.csv")

    def test_a_model_gives_the_same_on_both(self):
        process, _, found = self.both(EXAMPLE)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        judged = [row for row in found if row["verdict"] in ("pass", "warning")]
        self.assertGreater(len(judged), 85)

    def test_what_changed_between_the_versions_is_found(self):
        process, _, found = self.both(DATA / "opinfo" / "float32", "--precision", "as-recorded")
        self.assertEqual(process.returncode, 1, process.stderr)
        verdicts = {row["api_name"]: row["verdict"] for row in found}
        self.assertGreater(list(verdicts.values()).count("pass"), 700)
        # The normalisation of a single element: a difference of two nearly equal numbers, which the newer one computes another way.
        self.assertEqual(verdicts["Functional.layer_norm.1.forward.output.0"], "error")
        self.assertLess(list(verdicts.values()).count("error"), 10)

    def test_the_example_of_the_manual_works(self):
        page = (SOURCE / "docs" / "pipelines.md").read_text(encoding="utf-8")
        (commands,) = re.findall(r"^```sh two-versions\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        environment = {**os.environ, "RECORDING": str(EXAMPLE), "ASSAY_PLUGIN_PATH": SECOND, "PATH": f"{ASSAY.parent}:{os.environ['PATH']}"}
        process = subprocess.run(["bash", "-euc", commands], cwd=self.scratch, env=environment, capture_output=True, text=True)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        record = json.loads((self.scratch / "versions" / "run.json").read_text())
        self.assertEqual((record["target"]["version"], record["reference"]["version"]), ("1.13.0", "2.15.0"))

    def test_each_version_can_be_shown(self):
        for version in (self.old, self.new):
            shown = run("plugins", "show", f"torch@{version}", "--plugin-path", SECOND)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertIn(f"framework {version}.", shown.stdout)


if __name__ == "__main__":
    unittest.main()
