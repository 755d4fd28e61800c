"""Which calls a run does: lists, samples, duplicates, shards and their merge; and failing calls kept as recordings."""

import json
import shutil
import unittest

from hostile import ADAPTER, npy, tensor, write_dump
from resume_test import contents
from support import DATA, EXAMPLE, TestCase, rows, run

DUPLICATE = "ASSAY-RUN-015"


class Selection(TestCase):
    def names(self, out):
        return [row["api_name"] for row in rows(out / "result.csv")]

    def test_names_come_from_options_and_from_files(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["double", "identity", "busy_1", "double"])
        only, skip = self.scratch / "only.txt", self.scratch / "skip.txt"
        only.write_text("# what matters\n\n  Functional.d*\nFunctional.busy_1\r\n", encoding="utf-8")
        skip.write_text("Functional.double.1\n", encoding="utf-8")
        _, out = self.check(folder, *ADAPTER, "--only-from", only, "--skip-from", skip, expect=0)
        self.assertEqual(self.names(out), ["Functional.double.0", "Functional.busy_1.0"])
        _, out = self.check(folder, *ADAPTER, "--filter", "*.double", "--skip", "Functional.double.0", expect=0)
        self.assertEqual(self.names(out), ["Functional.double.1"])
        process, _ = self.check(folder, *ADAPTER, "--only-from", self.scratch / "none.txt", expect=2)
        self.assertIn("none.txt", process.stderr)

    def test_a_sample_holds_some_calls_of_each_api_and_is_the_same_each_time(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["double", "identity", "double", "busy_1"] * 10)
        samples = []
        for jobs, seed in ((1, 0), (3, 0), (2, 1)):
            _, out = self.check(folder, *ADAPTER, "--sample", 2, "--seed", seed, "-j", jobs, expect=0)
            samples.append(self.names(out))
            apis = [name.rsplit(".", 1)[0] for name in samples[-1]]
            self.assertEqual(sorted(apis), sorted(["Functional.double", "Functional.identity", "Functional.busy_1"] * 2))
        self.assertEqual(samples[0], samples[1])
        self.assertNotEqual(samples[0], samples[2])

    def test_duplicates_are_checked_once_and_point_to_the_one_that_was(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["double", "identity", "double"])
        document = json.loads((folder / "dump.json").read_text(encoding="utf-8"))
        other = tensor("z.npy", 8)
        (folder / "dump_tensor_data" / "z.npy").write_bytes(npy([1.0] * 8))
        document["data"]["Functional.identity.1.forward"] = {"input_args": [other], "input_kwargs": {}, "output": [other]}
        for number, value in enumerate((1, 2, 1), start=2):
            kwargs = {"alpha": {"type": "int", "value": value}}
            document["data"][f"Functional.identity.{number}.forward"] = {"input_args": [other], "input_kwargs": kwargs, "output": [other]}
        (folder / "dump.json").write_text(json.dumps(document), encoding="utf-8")
        for jobs in (0, 2):
            _, out = self.check(folder, *ADAPTER, "--dedup", "-j", jobs, expect=0)
            table = {row["api_name"].split(".forward")[0]: row for row in rows(out / "details.csv")}
            self.assertEqual({name for name, row in table.items() if row["reason"] == DUPLICATE},
                             {"Functional.double.1", "Functional.identity.4"})
            self.assertIn("'Functional.double.0', which was checked", table["Functional.double.1"]["message"])
            self.assertIn("'Functional.identity.2', which was checked", table["Functional.identity.4"]["message"])

    def test_merged_shards_are_the_undivided_run(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["double", "other_shape", "segv_not", "identity", "throw"] * 20)
        options = ("--dedup",)
        _, whole = self.check(folder, *ADAPTER, *options, "-q", expect=1)
        for count in (1, 3, 7):
            parts = []
            for number in range(1, count + 1):
                _, out = self.check(folder, *ADAPTER, *options, "-q", "--shard", f"{number}/{count}")
                parts.append(out)
            self.assertEqual(sum(len(self.names(part)) for part in parts), 100)
            self.assertLessEqual(max(len(self.names(part)) for part in parts), 100 // count + 1)
            merged = self.scratch / f"merged{count}"
            process = run("merge", *reversed(parts), "--out", merged, "-q")
            self.assertEqual(process.returncode, 1, process.stderr)
            self.assertEqual(contents(merged), contents(whole))

    def test_what_can_not_be_merged_is_named(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["double", "identity"] * 10)
        parts = [self.check(folder, *ADAPTER, "-q", "--shard", f"{number}/3", expect=0)[1] for number in (1, 2, 3)]
        _, whole = self.check(folder, *ADAPTER, "-q", expect=0)
        _, seeded = self.check(folder, *ADAPTER, "-q", "--shard", "3/3", "--seed", 9, expect=0)
        cut = self.scratch / "cut"
        shutil.copytree(parts[2], cut)
        lines = (cut / "results.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        (cut / "results.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
        for folders, words in (
            (parts[:2], "these shards are missing: 3/3"),
            ([*parts, parts[0]], "shard 1/3 is in"),
            ([*parts[:2], seeded], "configuration /seed was 0 and is 9"),
            ([whole, *parts], "the run is no shard"),
            ([*parts[:2], cut], "a results.jsonl was cut"),
            ([self.scratch / "nowhere"], "nowhere"),
        ):
            merged = self.scratch / "merged"
            process = run("merge", *folders, "--out", merged, "-q")
            self.assertEqual(process.returncode, 2, words)
            self.assertIn(words, process.stderr)
            shutil.rmtree(merged, ignore_errors=True)

    def test_more_shards_than_calls_are_merged_too(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["double", "other_shape"])
        _, whole = self.check(folder, *ADAPTER, "-q", expect=1)
        parts = [self.check(folder, *ADAPTER, "-q", "--shard", f"{number}/4")[1] for number in (1, 2, 3, 4)]
        merged = self.scratch / "merged"
        process = run("merge", *parts, "--out", merged, "-q")
        self.assertEqual(process.returncode, 1, process.stderr)
        self.assertEqual(contents(merged), contents(whole))

    def test_ranks_are_merged_side_by_side_and_what_they_disagree_on_is_named(self):
        def rank(number, operators, options=()):
            folder = self.scratch / "run" / "step0" / f"rank{number}"
            shutil.rmtree(folder, ignore_errors=True)
            write_dump(folder, operators)
            return [self.check(folder, *ADAPTER, "-q", *options, "--shard", f"{k}/2")[1] for k in (1, 2)]

        def merge(*folders):
            merged = self.scratch / "merged"
            shutil.rmtree(merged, ignore_errors=True)
            return run("merge", *folders, "--out", merged), merged

        operators = ["double", "identity", "refuse"] * 4
        sound = [rank(number, operators) for number in (0, 1, 10)]
        process, merged = merge(*sound[0], *sound[1], *sound[2])
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("0 directions are judged differently", process.stdout)
        self.assertEqual(rows(merged / "ranks.csv"), [])
        # The recorded output of "identity" isn't what the adapter's "double" gives: an error on one rank.
        rank(2, operators)
        dump = self.scratch / "run" / "step0" / "rank2" / "dump.json"
        document = json.loads(dump.read_text(encoding="utf-8"))
        document["data"]["Functional.double.1.forward"]["output"][0]["data_name"] = "x.npy"
        dump.write_text(json.dumps(document), encoding="utf-8")
        odd = [self.check(dump, *ADAPTER, "-q", "--shard", f"{k}/2")[1] for k in (1, 2)]
        process, merged = merge(*sound[0], *sound[1], *odd, *sound[2])
        self.assertEqual(process.returncode, 1, process.stderr)
        self.assertIn("Functional.double.1.forward: error in rank2, pass in 3", process.stdout)
        table = rows(merged / "ranks.csv")
        self.assertEqual([(row["api_name"], row["pass"], row["error"], row["odd_in"]) for row in table],
                         [("Functional.double.1.forward", "3", "1", "rank2")])
        self.assertEqual(sorted(path.name for path in merged.iterdir()), ["rank0", "rank1", "rank10", "rank2", "ranks.csv"])
        _, whole = self.check(dump, *ADAPTER, "-q", expect=1)
        self.assertEqual(contents(merged / "rank2"), contents(whole))
        # A gap and another configuration are found in each of them.
        process, _ = merge(*sound[0], sound[1][0])
        self.assertEqual(process.returncode, 2)
        self.assertIn("rank1/dump.json': these shards are missing: 2/2", process.stderr)
        seeded = rank(3, operators, ("--seed", 9))
        process, _ = merge(*sound[0], *seeded)
        self.assertEqual(process.returncode, 2)
        self.assertIn("configuration /seed was 0 and is 9", process.stderr)

    def test_a_shard_that_is_none_is_refused(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["double"])
        for text in ("0/3", "4/3", "1", "1/0", "a/b", "1/3x", "-1/3"):
            process, _ = self.check(folder, *ADAPTER, "--shard", text, expect=2)
            self.assertIn("expected K/N", process.stderr)


class SavedFailures(TestCase):
    def errors(self, out):
        return {row["api_name"]: (row["verdict"], row["reason"], row["message"]) for row in rows(out / "details.csv")
                if row["verdict"] == "error"}

    def test_a_saved_call_replays_to_the_same_row(self):
        for dump in (EXAMPLE, DATA / "dumps" / "llama_torch_tensor"):
            # A precision that can't be kept: everything that isn't exact becomes an error.
            options = ("--config", self.strict())
            _, out = self.check(dump, *options, "--save-failures", "64M", "-q")
            errors = self.errors(out)
            self.assertGreater(len(errors), 3)
            replayed = {}
            for folder in sorted((out / "failures").iterdir()):
                self.assertTrue(list((folder / "dump_tensor_data").glob("*.reference.*.npy")), folder)
                _, again = self.check(folder, *options, "-q", expect=1)
                replayed.update(self.errors(again))
            self.assertEqual(replayed, errors)

    def strict(self):
        path = self.scratch / "strict.json"
        path.write_text(json.dumps({"overrides": {"rules": [{"code": "TEST-001", "metric": "max_abs_error", "pass": {"at_most": 0}}]}}), encoding="utf-8")
        return path

    def test_what_is_too_large_is_not_saved_and_the_row_says_so(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["other_shape", "double"])
        _, out = self.check(folder, *ADAPTER, "--save-failures", "1K", expect=1)
        row = rows(out / "details.csv")[0]
        self.assertIn("not saved:", row["notes"])
        self.assertFalse(list((out / "failures").iterdir()) if (out / "failures").exists() else [])
        _, out = self.check(folder, *ADAPTER, "--save-failures", "1M", expect=1)
        self.assertIn("saved in failures/Functional.other_shape.0", rows(out / "details.csv")[0]["notes"])
        process = run("check", folder, *ADAPTER, "--save-failures", "1M")
        self.assertEqual(process.returncode, 2)
        self.assertIn("add --out", process.stderr)

    def test_a_link_in_the_place_of_the_folder_is_not_followed(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["other_shape"])
        elsewhere = self.scratch / "elsewhere"
        elsewhere.mkdir()
        out = self.scratch / "planted"
        out.mkdir()
        (out / "failures").symlink_to(elsewhere)
        process = run("check", folder, *ADAPTER, "--out", out, "--save-failures", "1M")
        self.assertEqual(process.returncode, 1)
        self.assertIn("can't be made a folder", rows(out / "details.csv")[0]["notes"])
        self.assertEqual(list(elsewhere.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
