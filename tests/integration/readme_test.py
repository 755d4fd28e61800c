"""The commands of README.md do what it says: every line of its `sh` blocks runs and ends with 0."""

import os
import re
import subprocess
import unittest

from support import ASSAY, SOURCE, TestCase


class Readme(TestCase):
    def test_every_command_runs(self):
        blocks = re.findall(r"```sh\n(.*?)```", (SOURCE / "README.md").read_text(encoding="utf-8"), re.DOTALL)
        commands = [line for block in blocks for line in block.splitlines() if line and not line.startswith("#")]
        self.assertGreaterEqual(len(commands), 5)
        (self.scratch / "examples").symlink_to(SOURCE / "examples")
        environment = {**os.environ, "PATH": f"{ASSAY.parent}:{os.environ['PATH']}"}
        for command in commands:
            with self.subTest(command):
                process = subprocess.run(["bash", "-c", command], cwd=self.scratch, env=environment, stdin=subprocess.DEVNULL,
                                         capture_output=True, text=True, timeout=300)
                self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        self.assertTrue((self.scratch / "results" / "report.html").exists())

    def test_every_page_that_is_linked_exists(self):
        for page in ("README.md", "CONTRIBUTING.md"):
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", (SOURCE / page).read_text(encoding="utf-8")):
                if not target.startswith("http"):
                    self.assertTrue((SOURCE / target).exists(), f"{page}: {target}")


if __name__ == "__main__":
    unittest.main()
