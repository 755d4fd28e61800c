"""The SDK package: the example plugins build against an install tree, keep the rules and work in a pipeline; `assay plugins new`."""

import csv
import json
import unittest

from install_tree import SOURCE, InstallCase

EXAMPLES = SOURCE / "examples" / "plugins"
RECORDING = SOURCE / "examples" / "llama_mint_tensor"
KINDS = ("adapter", "comparison", "operator", "perturbation")


class Package(InstallCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.plugins = {}
        for kind in KINDS:
            build = cls.scratch / "examples" / kind
            case.run_in(cls.scratch, "cmake", "-G", "Ninja", "-S", EXAMPLES / kind, "-B", build, "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON")
            case.run_in(cls.scratch, "cmake", "--build", build)
            cls.plugins[kind] = build / "lib" / "assay" / "plugins"

    def check(self, *arguments, expect):
        out = self.scratch / f"out-{self.id().rsplit('.', 1)[1]}"
        text = self.run_in(self.scratch, "assay", "check", RECORDING, "--out", out, *arguments, expect=expect)
        return text, out

    def rows(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_every_example_is_as_short_as_promised(self):
        for kind, limit in (("adapter", 150), ("comparison", 60), ("perturbation", 40), ("operator", 60)):
            (source,) = EXAMPLES.glob(f"{kind}/example_*")
            self.assertLess(len(source.read_text().splitlines()), limit, kind)

    def test_every_example_keeps_the_rules(self):
        for kind in KINDS:
            with self.subTest(kind):
                report = self.scratch / f"{kind}.json"
                self.run_in(self.scratch, "assay", "plugins", "validate", self.plugins[kind] / f"example-{kind}", "--json", report, "-j2")
                checks = json.loads(report.read_text())["checks"]
                self.assertEqual({check["status"] for check in checks} - {"passed"}, set())
                self.assertGreater(len([check for check in checks if check["check"].startswith(kind)]), 1)

    def test_a_plugin_is_found_and_shown(self):
        for kind in KINDS:
            text = self.run_in(self.scratch, "assay", "plugins", "show", f"com.example.example-{kind}", "--plugin-path", self.plugins[kind])
            self.assertIn(kind, text)

    def test_the_adapter_is_the_reference_of_a_run(self):
        # Five operators of a recording made on MindSpore, recomputed by the example's own interpreter.
        names = ("Mint.add", "Mint.mul", "Mint.neg", "Mint.square", "MintFunctional.silu")
        selected = [option for name in names for option in ("--api", name)]
        _, out = self.check(*selected, "--reference", "com.example.example-adapter", "--plugin-path", self.plugins["adapter"], expect=0)
        details = self.rows(out / "details.csv")
        judged = [row for row in details if row["verdict"] in ("pass", "warning")]
        self.assertEqual({row["verdict"] for row in details} - {"pass", "warning", "skip"}, set())
        self.assertGreater(len(judged), 15)
        record = json.loads((out / "run.json").read_text())
        self.assertEqual(record["reference"]["framework"], "example-adapter")

    def test_the_metric_decides_in_a_standard(self):
        standard = self.scratch / "bias.json"
        standard.write_text(json.dumps({"name": "bias", "round_expected": True, "rules": [
            {"code": "MY-001", "says": "outputs are biased", "metric": "mean_signed_error", "pass": {"at_most": -1}}]}))
        config = self.scratch / "bias-pipeline.json"
        config.write_text(json.dumps({
            "standard": str(standard),
            "reference": {"adapter": "com.example.example-adapter", "precision": "float32"},
            "comparisons": [{"component": "elementwise"}, {"component": "com.example.example-comparison"}]}))
        paths = [option for kind in ("adapter", "comparison") for option in ("--plugin-path", self.plugins[kind])]
        text, out = self.check("--config", config, "--api", "Mint.square", *paths, expect=1)
        self.assertIn("mean_signed_error", text)
        self.assertIn("MY-001", text)
        standard.write_text(standard.read_text().replace("-1", "0.1"))
        self.run_in(self.scratch, "assay", "check", RECORDING, "--config", config, "--api", "Mint.square", *paths)

    def test_the_perturbation_works_in_a_chain(self):
        config = self.scratch / "chain.json"
        config.write_text(json.dumps({
            "engine": {"adapter": "com.example.example-adapter", "precision": "as-recorded"},
            "perturbations": [{"chain": [{"component": "com.example.example-perturbation", "config": {"step": 1e-4}},
                                         {"component": "add-noise"}]}]}))
        out = self.scratch / "perturbed"
        paths = [option for kind in ("adapter", "perturbation") for option in ("--plugin-path", self.plugins[kind])]
        self.run_in(self.scratch, "assay", "perturb", RECORDING, "--config", config, "--api", "Mint.square", "--out", out, *paths)
        self.assertIn("com.example.example-perturbation", (out / "run.json").read_text())

    def test_a_new_project_builds_and_keeps_the_rules_at_once(self):
        for kind, name in (("comparison", "bias"), ("perturbation", "org.example.tiny-step")):
            with self.subTest(kind):
                self.run_in(self.scratch, "assay", "plugins", "new", kind, name)
                project = self.scratch / name.rsplit(".", 1)[-1]
                self.run_in(project, "cmake", "-S", ".", "-B", "build")
                self.run_in(project, "cmake", "--build", "build")
                self.assertIn("100% tests passed", self.run_in(project, "ctest", "--test-dir", "build"))
                self.assertNotIn("example_", " ".join(path.name for path in project.iterdir()))
        text = self.run_in(self.scratch, "assay", "plugins", "list", "--plugin-path", "tiny-step/build/lib/assay/plugins")
        self.assertIn("org.example.tiny-step", text)

    def test_a_new_project_is_refused_by_name(self):
        for arguments, message in ((("metric", "x"), "expected adapter, comparison"), (("../..", "x"), "expected adapter, comparison"),
                                   (("adapter", "../x"), "small letters"), (("adapter", "Big"), "small letters"),
                                   (("adapter", "a..b"), "small letters"), (("adapter",), "expected a kind and a name")):
            self.assertIn(message, self.run_in(self.scratch, "assay", "plugins", "new", *arguments, expect=2))
        (self.scratch / "there").mkdir()
        self.assertIn("it exists", self.run_in(self.scratch, "assay", "plugins", "new", "adapter", "there", expect=2))


if __name__ == "__main__":
    unittest.main()
