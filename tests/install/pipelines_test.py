"""docs/pipelines.md, word for word: its commands in an empty folder, its words in what they print."""

import json
import unittest

from install_tree import SOURCE, PageCase


class Pipelines(PageCase):
    PAGE = SOURCE / "docs" / "pipelines.md"

    def test_the_examples_of_the_page_do_what_it_says(self):
        folder, output = self.follow()
        for line in self.words():
            self.assertIn(line, output)
        target = json.loads((folder / "vendor" / "run.json").read_text())["target"]
        self.assertEqual(target["source"], "com.example.example-adapter")
        chained = (folder / "chain" / "perturb.csv").read_text().splitlines()
        self.assertGreater(len([line for line in chained if "step-then-noise" in line]), 1)
        limited = {row.split(",")[0]: row for row in (folder / "limits" / "details.csv").read_text().splitlines()}
        self.assertIn("of the pipeline", limited["Mint.square.0.forward.output.0"])


if __name__ == "__main__":
    unittest.main()
