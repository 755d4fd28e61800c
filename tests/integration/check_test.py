"""`assay check` from the outside: rows, files, exit codes, and what it says about bad input."""

import glob
import json
import os
import shutil
import struct
import unittest

from support import DATA, EXAMPLE, TestCase, rows, run


def tensor(name, shape=(2,), dtype="torch.float32", **more):
    """The element of a tensor whose data lie in a file."""
    return {"type": "torch.Tensor", "dtype": dtype, "shape": list(shape), "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0,
            "requires_grad": False, "data_name": name, **more}


def entry(inputs, outputs, **kwargs):
    return {"input_args": inputs, "input_kwargs": kwargs, "output": outputs}


def npy(values, shape=None, descr="<f4", header=None):
    """The bytes of an .npy file; `header` replaces the honest one."""
    shape = (len(values),) if shape is None else shape
    text = header or "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, tuple(shape))
    text = text.ljust(118 - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(values)}f", *values)


class CheckRecording(TestCase):
    def test_the_example_passes_and_every_api_has_a_row(self):
        process, out = self.check(EXAMPLE, expect=0)
        self.assertEqual(len(rows(out / "result.csv")), 49)
        details = rows(out / "details.csv")
        self.assertEqual(len(details), 111)
        self.assertEqual({row["verdict"] for row in details} - {"pass", "warning"}, set())
        record = json.loads((out / "run.json").read_text())
        self.assertTrue(record["complete"])
        self.assertEqual(record["counts"]["error"], 0)
        self.assertEqual(record["dump"]["apis"], 49)
        self.assertEqual(len((out / "results.jsonl").read_text().splitlines()), 49)
        self.assertIn("49 APIs", process.stdout)

    def test_two_runs_give_the_same_tables(self):
        _, first = self.check(EXAMPLE)
        _, second = self.check(EXAMPLE, "--threads", 2)
        for name in ("details.csv", "result.csv"):
            self.assertEqual((first / name).read_bytes(), (second / name).read_bytes())

    def test_msprobe_files_equal_what_the_peer_wrote(self):
        _, out = self.check(EXAMPLE, "--standard", "msprobe-mint", "--format", "msprobe", expect=0)
        for kind in ("details", "result"):
            ours = glob.glob(str(out / f"accuracy_checking_{kind}_*.csv"))
            self.assertEqual(len(ours), 1)
            with open(ours[0], "rb") as file:
                raw = file.read()
            self.assertTrue(raw.startswith(b"\xef\xbb\xbf"))
            self.assertEqual(raw.count(b"\r\n"), raw.count(b"\n"))
            actual, expected = rows(ours[0]), rows(EXAMPLE / f"expected_{kind}.csv")
            self.assertEqual(len(actual), len(expected))
            for got, wanted in zip(actual, expected):
                self.assertEqual(list(got), list(wanted))
                for column in wanted:
                    if column == "Cosine":
                        self.assertAlmostEqual(float(got[column]), float(wanted[column]), delta=1e-9)
                    elif column == "MaxAbsErr":
                        self.assertAlmostEqual(float(got[column]), float(wanted[column]), delta=3e-6)
                    elif column != "MaxRelativeErr":
                        self.assertEqual(got[column], wanted[column], wanted)

    def test_a_changed_element_is_named(self):
        dump = self.scratch / "changed"
        shutil.copytree(EXAMPLE, dump)
        file = dump / "dump_tensor_data" / "Mint.mul.0.forward.output.0.npy"
        data = bytearray(file.read_bytes())
        at = len(data) - 4 * (64 * 2 + 3 + 1)
        (old,) = struct.unpack_from("<f", data, at)
        struct.pack_into("<f", data, at, old * 1.5)
        file.write_bytes(data)
        process, out = self.check(dump, expect=1)
        wrong = [row for row in rows(out / "details.csv") if row["verdict"] == "error"]
        self.assertEqual([row["api_name"] for row in wrong], ["Mint.mul.0.forward.output.0"])
        self.assertEqual(wrong[0]["worst_index"], "[1, 29, 60]")
        self.assertAlmostEqual(float(wrong[0]["worst_actual"]), old * 1.5, places=5)
        self.assertAlmostEqual(float(wrong[0]["worst_expected"]), old, places=5)
        self.assertGreater(float(wrong[0]["worst_ulp"]), 1e6)
        self.assertIn("Mint.mul.0.forward.output.0", process.stdout)
        self.assertIn("--api Mint.mul.0", process.stdout)

    def test_api_runs_one_and_shows_both_sides(self):
        process = run("check", EXAMPLE, "--api", "Mint.mul.0")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("checking 1 APIs", process.stdout)
        self.assertIn("actual", process.stdout)
        self.assertIn("expected", process.stdout)

    def test_pytorch_models_have_no_failure_and_every_skip_has_a_reason(self):
        for name in ("llama_torch_tensor", "torch_modules"):
            _, out = self.check(DATA / "dumps" / name, expect=0)
            for row in rows(out / "result.csv"):
                self.assertIn(row["forward"], ("pass", "warning"), row)
                self.assertNotEqual(row["backward"], "error", row)
                if row["backward"] == "skip":
                    self.assertNotEqual(row["message"], "", row)

    def test_pytorch_statistics_check_the_adapter_against_itself(self):
        _, out = self.check(DATA / "dumps" / "llama_torch_statistics", expect=0)
        verdicts = [row["forward"] for row in rows(out / "result.csv")]
        self.assertEqual(len(verdicts), 67)
        self.assertEqual(set(verdicts) - {"pass", "warning", "skip"}, set())
        self.assertGreaterEqual(verdicts.count("pass"), 60, verdicts)

    def test_warnings_of_the_framework_go_to_the_log(self):
        api = ("--api", "Torch.index_reduce")
        quiet, _ = self.check(DATA / "opinfo" / "beyond", *api)
        self.assertEqual(quiet.stderr, "")
        out = self.scratch / "logged"
        logged = run("check", DATA / "opinfo" / "beyond", *api, "--out", out, env={"ASSAY_LOG": "debug"})
        self.assertIn("assay.torch: index_reduce() is in beta", logged.stderr)

    def test_a_folder_of_steps_and_ranks_needs_a_choice(self):
        root = self.scratch / "run"
        for rank in ("rank0", "rank1"):
            shutil.copytree(EXAMPLE, root / "step0" / rank)
        process = run("check", root)
        self.assertEqual(process.returncode, 2)
        self.assertIn("rank", process.stderr)
        self.check(root, "--step", 0, "--rank", 1, expect=0)

    def test_nothing_selected_has_its_own_exit_code(self):
        process = run("check", EXAMPLE, "--api", "Torch.nothing")
        self.assertEqual(process.returncode, 4)


class BadInput(TestCase):
    GOOD = entry([tensor("good.npy")], [tensor("good.npy")])

    def dump_with(self, bad, files=None):
        """A dump with one faulty API beside a good one (abs of [0, 1])."""
        folder = self.write_dump({"Torch.bad.0.forward" if isinstance(bad, dict) else bad[0]: bad if isinstance(bad, dict) else bad[1],
                                  "Torch.abs.0.forward": self.GOOD})
        (folder / "dump_tensor_data" / "good.npy").write_bytes(npy([0.0, 1.0]))
        for name, content in (files or {}).items():
            (folder / "dump_tensor_data" / name).write_bytes(content)
        return folder

    def assert_skipped(self, folder, stem, *words):
        process, out = self.check(folder)
        self.assertIn(process.returncode, (0, 3), process.stdout + process.stderr)
        table = {row["api_name"]: row for row in rows(out / "result.csv")}
        self.assertEqual(table["Torch.abs.0"]["forward"], "pass", table)
        self.assertEqual(table[stem]["forward"], "skip", table)
        for word in words:
            self.assertIn(word, table[stem]["message"])

    def test_files_that_are_no_dump(self):
        empty = self.scratch / "empty.json"
        empty.write_text("")
        cut = self.scratch / "cut.json"
        cut.write_text((EXAMPLE / "dump.json").read_text()[:5000])
        listed = self.scratch / "list.json"
        listed.write_text("[1, 2]")
        for path, words in ((self.scratch / "gone.json", ["gone.json"]), (empty, ["empty"]), (cut, ["cut.json"]), (listed, ["list.json"])):
            process = run("check", path)
            self.assertEqual(process.returncode, 2, f"{path}: {process.stdout}{process.stderr}")
            self.assertTrue(process.stderr.startswith("assay: cannot "), process.stderr)
            self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
            for word in words:
                self.assertIn(word, process.stderr)

    def test_deep_nesting_costs_one_row(self):
        folder = self.dump_with(("Torch.neg.0.forward", entry(["@"], [])))
        text = (folder / "dump.json").read_text()
        (folder / "dump.json").write_text(text.replace('"@"', "[" * 100000 + "]" * 100000))
        self.assert_skipped(folder, "Torch.neg.0", "levels deep")

    def test_a_doubled_key_is_said(self):
        folder = self.dump_with(("Torch.neg.0.forward", self.GOOD))
        text = (folder / "dump.json").read_text()
        extra = json.dumps({"Torch.abs.0.forward": self.GOOD})[1:-1]
        (folder / "dump.json").write_text(text[:-2] + ", " + extra + "}}")
        _, out = self.check(folder)
        self.assertIn("Torch.abs.0.forward", [key["key"] for key in json.loads((out / "run.json").read_text())["skipped_keys"]])

    def test_tensor_files(self):
        cases = {
            "missing": (None, "bad.npy"),
            "cut": (npy([0.0, 1.0])[:-3], "bad.npy"),
            "huge": (npy([0.0], header="{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }"), "bad.npy"),
            "negative": (npy([0.0], header="{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }"), "bad.npy"),
            "code": (npy([0.0, 1.0], header="__import__('os').system('touch /tmp/assay-was-here')"), "bad.npy"),
            "shape": (npy([0.0, 1.0, 2.0]), "shape"),
            "empty file": (b"", "bad.npy"),
        }
        for name, (content, word) in cases.items():
            with self.subTest(name):
                folder = self.dump_with(("Torch.neg.0.forward", entry([tensor("bad.npy")], [tensor("good.npy")])),
                                        {} if content is None else {"bad.npy": content})
                self.assert_skipped(folder, "Torch.neg.0", word)
        self.assertFalse(os.path.exists("/tmp/assay-was-here"))

    def test_pickles_run_nothing(self):
        import io
        import pickle
        import zipfile

        class Evil:
            def __reduce__(self):
                return os.system, ("touch /tmp/assay-was-here",)

        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("archive/data.pkl", pickle.dumps(Evil(), protocol=2))
            file.writestr("archive/version", "3")
        folder = self.dump_with(("Torch.neg.0.forward", entry([tensor("bad.pt")], [tensor("good.npy")])), {"bad.pt": archive.getvalue()})
        self.assert_skipped(folder, "Torch.neg.0", "system")
        self.assertFalse(os.path.exists("/tmp/assay-was-here"))

    def test_paths_that_leave_the_folder(self):
        outside = self.scratch / "outside.npy"
        outside.write_bytes(npy([0.0, 1.0]))
        for name in ("../../outside.npy", str(outside), "link.npy"):
            with self.subTest(name):
                folder = self.dump_with(("Torch.neg.0.forward", entry([tensor(name)], [tensor("good.npy")])))
                if name == "link.npy":
                    (folder / "dump_tensor_data" / name).symlink_to(outside)
                self.assert_skipped(folder, "Torch.neg.0")

    def test_calls_that_can_not_be_made(self):
        good = tensor("good.npy")
        cases = {
            "Torch.no_such_function.0": (entry([good], [good]), "no_such_function"),
            "Torch.neg.0": (entry([good, {"type": "str", "value": "x"}, good], [good]), "neg"),
            "Torch.neg.1": (entry([tensor("good.npy", dtype="torch.float7")], [good]), "float7"),
            "Torch.neg.2": (entry([{"type": "torch.Tensor", "shape": "wide"}], [good]), ""),
            "Torch.neg.3": ({"input_args": 3, "input_kwargs": {}, "output": [good]}, "input_args"),
            "Torch.neg.4": (entry([good], [good], out={"a": 1}), ""),
            "Torch.neg.5": ("text", ""),
            "Torch.neg.6": (entry([{}], [good]), ""),
        }
        folder = self.write_dump({**{stem + ".forward": value for stem, (value, _) in cases.items()}, "Torch.abs.0.forward": self.GOOD})
        (folder / "dump_tensor_data" / "good.npy").write_bytes(npy([0.0, 1.0]))
        process, out = self.check(folder)
        self.assertIn(process.returncode, (0, 3), process.stdout + process.stderr)
        table = {row["api_name"]: row for row in rows(out / "result.csv")}
        self.assertEqual(table["Torch.abs.0"]["forward"], "pass")
        for stem, (_, word) in cases.items():
            self.assertEqual(table[stem]["forward"], "skip", table[stem])
            self.assertNotEqual(table[stem]["message"], "", stem)
            self.assertIn(word, table[stem]["message"])

    def test_terminal_escapes_in_names_are_shown_not_sent(self):
        folder = self.dump_with(("Torch.\x1b[31mneg.0.forward", self.GOOD))
        process, _ = self.check(folder)
        self.assertNotIn("\x1b", process.stdout + process.stderr)

    def test_output_does_not_follow_a_planted_link(self):
        out = self.scratch / "planted"
        out.mkdir()
        victim = self.scratch / "victim"
        victim.write_text("precious")
        (out / "details.csv").symlink_to(victim)
        process = run("check", EXAMPLE, "--out", out)
        self.assertEqual(process.returncode, 2, process.stdout)
        self.assertIn("symbolic link", process.stderr)
        self.assertEqual(victim.read_text(), "precious")


class Configuration(TestCase):
    def test_print_config_shows_the_merged_layers(self):
        file = self.scratch / "mine.json"
        file.write_text('{"seed": 7, "reference": {"precision": "float32"}}')
        process = run("check", "--config", file, "--standard", "msprobe-mint", "--print-config")
        self.assertEqual(process.returncode, 0, process.stderr)
        config = json.loads(process.stdout)
        self.assertEqual((config["seed"], config["standard"]), (7, "msprobe-mint"))
        self.assertEqual(config["reference"], {"adapter": "torch", "precision": "float32"})

    def test_all_problems_are_reported_at_once_with_their_place(self):
        file = self.scratch / "wrong.json"
        file.write_text('{"seed": "big", "inputs": "mine", "referense": {}}')
        process = run("check", EXAMPLE, "--config", file)
        self.assertEqual(process.returncode, 2)
        for word in ("/seed", "/inputs", "referense", "wrong.json"):
            self.assertIn(word, process.stderr)

    def test_unknown_options_are_answered_with_the_nearest(self):
        process = run("check", EXAMPLE, "--standart", "x")
        self.assertEqual(process.returncode, 2)
        self.assertIn("--standard", process.stderr)

    def test_explain_knows_every_reason_that_rows_carry(self):
        listing = run("explain")
        self.assertEqual(listing.returncode, 0, listing.stderr)
        for code in ("ASSAY-RUN-001", "ASSAY-RUN-004", "ASSAY-RUN-010", "ASSAY-CMP-004"):
            self.assertIn(code, listing.stdout)
            self.assertIn("What to do", run("explain", code).stdout)
        self.assertEqual(run("explain", "ASSAY-XYZ-1").returncode, 2)


if __name__ == "__main__":
    unittest.main()
