"""docs/write-a-plugin.md, word for word: its commands in an empty folder, its words in what they print."""

import re
import unittest

from install_tree import BUILD, SOURCE, InstallCase

GUIDE = (SOURCE / "docs" / "write-a-plugin.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


class Guide(InstallCase):
    def test_the_page_leads_from_an_empty_folder_to_a_verdict(self):
        clone = self.scratch / "clone"  # where the page says that a build lies
        (clone / "build").mkdir(parents=True)
        (clone / "build" / "release").symlink_to(BUILD)
        (clone / "examples").symlink_to(SOURCE / "examples")
        empty = self.scratch / "empty"
        empty.mkdir()
        self.environment["ASSAY_SOURCE"] = str(clone)
        output = self.run_in(empty, "bash", "-e", "-u", "-o", "pipefail", "-c", "\n".join(blocks("sh")))
        for line in "".join(blocks("text")).splitlines():
            self.assertIn(line, output)
        page = (empty / "my-bias" / "results" / "report.html").read_text()
        self.assertIn("BIAS-1", page)
        self.assertIn("mean_signed_error", page)
        self.assertEqual(output.count("100% tests passed"), 2)

    def test_the_sizes_on_the_page_are_those_of_the_examples(self):
        for kind, lines in re.findall(r"^\| (comparison|adapter|perturbation|operator) \|.*\| (\d+) \|$", GUIDE, re.MULTILINE):
            (source,) = (SOURCE / "examples" / "plugins" / kind).glob("example_*")
            self.assertEqual(len(source.read_text().splitlines()), int(lines), kind)


if __name__ == "__main__":
    unittest.main()
