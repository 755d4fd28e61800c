"""docs/write-a-plugin.md, word for word: its commands in an empty folder, its words in what they print."""

import re
import unittest

from install_tree import SOURCE, PageCase


class Guide(PageCase):
    PAGE = SOURCE / "docs" / "write-a-plugin.md"

    def test_the_page_leads_from_an_empty_folder_to_a_verdict(self):
        folder, output = self.follow()
        for line in self.words():
            self.assertIn(line, output)
        page = (folder / "my-bias" / "results" / "report.html").read_text()
        self.assertIn("BIAS-1", page)
        self.assertIn("mean_signed_error", page)
        self.assertEqual(output.count("100% tests passed"), 2)

    def test_the_sizes_on_the_page_are_those_of_the_examples(self):
        sizes = re.findall(r"^\| (comparison|adapter|perturbation|operator) \|.*\| (\d+) \|$", self.PAGE.read_text(), re.MULTILINE)
        self.assertEqual(len(sizes), 4)
        for kind, lines in sizes:
            (source,) = (SOURCE / "examples" / "plugins" / kind).glob("example_*")
            self.assertEqual(len(source.read_text().splitlines()), int(lines), kind)


if __name__ == "__main__":
    unittest.main()
