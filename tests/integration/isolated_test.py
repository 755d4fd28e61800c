"""Two builds of one framework: each in a process of its own, chosen by version; what the target's process does wrong costs its row."""

import json
import os
import shutil
import subprocess
import unittest

from hostile import PLUGINS, write_dump
from support import TestCase, rows, run

TARGET_FAILED, MEMORY, TIMEOUT = "ASSAY-RUN-008", "ASSAY-RUN-014", "ASSAY-RUN-013"


class Isolated(TestCase):
    def setUp(self):
        super().setUp()
        # Two builds for two versions of a framework that stays loaded.
        self.plugins = self.scratch / "plugins"
        for version in ("1.0", "2.0"):
            folder = self.plugins / f"hostile-{version}"
            shutil.copytree(PLUGINS / "hostile-adapter", folder)
            manifest = json.loads((folder / "manifest.json").read_text())
            manifest.update(framework_version=version, unload="never")
            (folder / "manifest.json").write_text(json.dumps(manifest))
        self.config = self.scratch / "pipeline.json"
        self.config.write_text(json.dumps({
            "target": {"adapter": "example.hostile@1"},
            "reference": {"adapter": "example.hostile@2.0", "precision": "as-recorded", "config": {"version": "2.0", "sound": True}}}))

    def both(self, operators, *options, expect):
        dump = self.scratch / f"dump{len(list(self.scratch.iterdir()))}"
        stems = write_dump(dump, operators)
        process, out = self.check(dump, "--config", self.config, "--plugin-path", self.plugins, *options, expect=expect)
        found = {row["api_name"].split(".forward")[0]: row for row in rows(out / "details.csv")}
        return process, out, [found[stem] for stem in stems]

    def test_each_side_is_the_version_that_was_asked_for(self):
        for jobs in (0, 1, 2):
            _, out, found = self.both(["double", "identity", "double"] * 10, "-j", jobs, expect=0)
            self.assertEqual({row["verdict"] for row in found}, {"pass"})
            record = json.loads((out / "run.json").read_text())
            self.assertEqual((record["target"]["source"], record["target"]["version"]), ("example.hostile@1", "1.0"))
            self.assertEqual((record["reference"]["source"], record["reference"]["version"]), ("example.hostile@2.0", "2.0"))

    def test_what_ends_the_targets_process_is_an_error_of_its_row(self):
        _, _, found = self.both(["double", "segv", "double", "exit_3", "other_shape", "double"], expect=1)
        self.assertEqual([row["verdict"] for row in found], ["pass", "error", "pass", "error", "error", "pass"])
        self.assertEqual(found[1]["reason"], TARGET_FAILED)
        self.assertIn("the process of 'example.hostile@1' was killed by signal 11 (Segmentation fault)", found[1]["message"])
        self.assertIn("exited with code 3", found[3]["message"])
        self.assertIn("shape", found[4]["message"])

    def test_what_a_framework_returns_is_checked_on_its_own_side(self):
        _, _, found = self.both(["many_outputs", "no_data", "throw", "close_pipes", "double"], expect=1)
        self.assertEqual([row["verdict"] for row in found], ["error"] * 4 + ["pass"])

    def test_limits_hold_for_the_targets_process_and_nothing_of_it_stays(self):
        _, _, found = self.both(["hang", "leak", "double"], "--timeout", 3, "--memory", "256M", expect=3)
        self.assertEqual([row["reason"] for row in found][:2], [TIMEOUT, MEMORY])
        self.assertEqual(found[2]["verdict"], "pass")
        self.assertEqual(subprocess.run(["pgrep", "-f", "serve-adapter$"], capture_output=True, check=False).returncode, 1)

    def test_a_version_that_is_not_there_is_named_with_those_that_are(self):
        dump = self.scratch / "dump"
        write_dump(dump, ["double"])
        process = run("check", dump, "--target", "example.hostile@3", "--plugin-path", self.plugins)
        self.assertEqual(process.returncode, 2)
        self.assertIn("find adapter 'example.hostile@3'", process.stderr)
        self.assertIn("there is 1.0, 2.0", process.stderr)

    def test_a_library_of_another_version_than_its_manifest_says_is_refused(self):
        dump = self.scratch / "dump"
        write_dump(dump, ["double"])
        process = run("check", dump, "--target", "example.hostile@1", "--reference", "example.hostile@2", "--plugin-path", self.plugins)
        self.assertEqual(process.returncode, 3)
        self.assertIn("the library runs Hostile 1.0", process.stderr)

    def test_both_versions_are_listed_and_shown(self):
        listed = run("plugins", "list", "--plugin-path", self.plugins).stdout
        self.assertIn("example.hostile@1.0", listed)
        self.assertIn("example.hostile@2.0", listed)
        shown = run("plugins", "show", "example.hostile@2", "--plugin-path", self.plugins).stdout
        self.assertIn(os.fspath(self.plugins / "hostile-2.0"), shown)


if __name__ == "__main__":
    unittest.main()
