"""report.html: what is in it, and that hostile names do nothing."""

import json
import re
import unittest

from check_test import entry, npy, tensor
from support import EXAMPLE, TestCase, rows, run


def page_data(out):
    text = (out / "report.html").read_text(encoding="utf-8")
    return text, json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL).group(1))


class Report(TestCase):
    def test_the_page_needs_no_network_and_shows_what_the_csv_says(self):
        _, out = self.check(EXAMPLE, expect=0)
        text, data = page_data(out)
        self.assertEqual(re.findall(r'(?:src|href)="', text), [])
        details = rows(out / "details.csv")
        self.assertEqual([row[1] for row in data["rows"]], [row["api_name"] for row in details])
        self.assertEqual([row[2] for row in data["rows"]], [row["verdict"] for row in details])
        for shown, written in zip(data["rows"], details):
            if shown[3] is not None:
                self.assertAlmostEqual(shown[3], float(written["max_ulp"]), delta=abs(float(written["max_ulp"])) * 1e-3)
        self.assertIn("<svg", text)
        self.assertIn("Mint.square.0.forward.output.0", text.split('id="data"')[0])

    def test_a_report_can_be_written_again(self):
        _, out = self.check(EXAMPLE, expect=0)
        first = (out / "report.html").read_text(encoding="utf-8")
        (out / "report.html").unlink()
        process = run("report", out)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual((out / "report.html").read_text(encoding="utf-8"), first)

    def test_a_torn_last_line_is_left_out(self):
        _, out = self.check(EXAMPLE, expect=0)
        lines = (out / "results.jsonl").read_text().splitlines(keepends=True)
        (out / "results.jsonl").write_text("".join(lines[:10]) + lines[10][:40])
        self.assertEqual(run("report", out).returncode, 0)
        self.assertEqual(len({row[0] for row in page_data(out)[1]["rows"]}), 10)
        (out / "results.jsonl").write_text("".join(lines[:3]) + "{broken}\n")
        process = run("report", out)
        self.assertEqual(process.returncode, 2)
        self.assertIn("results.jsonl:4", process.stderr)

    def test_a_folder_without_a_run_is_refused(self):
        process = run("report", self.scratch)
        self.assertEqual(process.returncode, 2)
        self.assertIn("run.json", process.stderr)

    def test_hostile_text_does_nothing(self):
        hostile = "torch.</script><script>alert(1)</script>@ROWS@&\"'"
        folder = self.write_dump({"Torch.neg.0.forward": entry([tensor("a.npy", dtype=hostile)], [tensor("a.npy")])})
        (folder / "dump_tensor_data" / "a.npy").write_bytes(npy([0.0, 1.0]))
        _, out = self.check(folder)
        text, data = page_data(out)
        self.assertEqual(text.count("<script>alert"), 0)
        self.assertEqual(text.count("</script>"), 2)
        self.assertIn("<script>alert(1)", data["rows"][0][7])


if __name__ == "__main__":
    unittest.main()
