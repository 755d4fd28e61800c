"""An install tree of this build in a folder of its own, and commands that see nothing but it."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["ASSAY_BUILD_DIR"])
SOURCE = Path(os.environ["ASSAY_SOURCE_DIR"])


class InstallCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="assay-install-")
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        cls.prefix = cls.scratch / "prefix"
        for component in ("host", "sdk"):
            subprocess.run(["cmake", "--install", BUILD, "--component", component, "--prefix", cls.prefix],
                           check=True, stdout=subprocess.DEVNULL)
        hidden = {"ASSAY_HOME", "ASSAY_PLUGIN_PATH", "XDG_DATA_HOME"}
        cls.environment = {k: v for k, v in os.environ.items() if k not in hidden}
        cls.environment.update(HOME=str(cls.scratch), PATH=f"{cls.prefix / 'bin'}:{os.environ['PATH']}",
                               CMAKE_PREFIX_PATH=str(cls.prefix))

    def run_in(self, folder, *command, expect=0):
        """Runs a command; returns its output."""
        process = subprocess.run([str(part) for part in command], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        self.assertEqual(process.returncode, expect, f"{command}\n{process.stdout}")
        return process.stdout


class PageCase(InstallCase):
    """A page of the manual whose commands are followed. PAGE is its path; $ASSAY_SOURCE in it is the clone."""

    PAGE = None

    def blocks(self, language):
        return re.findall(rf"^```{language}\n(.*?)^```$", self.PAGE.read_text(), re.MULTILINE | re.DOTALL)

    def words(self):
        """The lines that the page says its commands print."""
        return "".join(self.blocks("text")).splitlines()

    def follow(self):
        """Runs the page's commands in an empty folder; returns it and what they printed."""
        clone = self.scratch / "clone"  # where the page says that a build lies
        (clone / "build").mkdir(parents=True)
        (clone / "build" / "release").symlink_to(BUILD)
        (clone / "examples").symlink_to(SOURCE / "examples")
        empty = self.scratch / "empty"
        empty.mkdir()
        self.environment["ASSAY_SOURCE"] = str(clone)
        return empty, self.run_in(empty, "bash", "-e", "-u", "-o", "pipefail", "-c", "\n".join(self.blocks("sh")))
