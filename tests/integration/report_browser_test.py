"""The report in a real browser: it opens without errors, filters, drills down, shows what the CSV says, in light, dark and narrow."""

import json
import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser import Browser
from support import ASSAY, BUILD, EXAMPLE, SOURCE, TestCase, rows, run

SCREENSHOTS = BUILD / "screenshots"
WRONG = "MintFunctional.silu.0"
ROWS = 100000
SECONDS_TO_FIRST_VIEW = 3.0


def spoil(folder, factor=0.96):
    """Copies the example with one output wrong by a factor; returns the copy."""
    copy = folder / "llama"
    shutil.copytree(EXAMPLE, copy)
    path = copy / "dump_tensor_data" / f"{WRONG}.forward.output.0.npy"
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    values = struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])
    path.write_bytes(data[:start] + struct.pack(f"<{len(values)}f", *(factor * value for value in values)))
    return copy


def visible_rows(browser):
    return browser.texts("#rows tbody tr td:nth-child(2)")


class SpoiledRun(TestCase):
    """Tests over one run of the example with a wrong output."""

    @classmethod
    def setUpClass(cls):
        SCREENSHOTS.mkdir(exist_ok=True)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.out = Path(folder.name) / "results"
        process = run("check", spoil(Path(folder.name)), "--out", cls.out)
        assert process.returncode == 1, process.stdout + process.stderr

    def checked(self):
        return self.out


class ReportInBrowser(SpoiledRun):
    def test_it_opens_without_errors_and_the_wrong_operator_is_the_first_thing_to_see(self):
        out = self.checked()
        with Browser() as browser:
            browser.open(out / "report.html")
            self.assertEqual(browser.problems(), [])
            self.assertIn(WRONG, browser.one("header .verdict").text)
            first = browser.one("#worst details")
            self.assertIn(WRONG, first.text)
            box = first.rect
            self.assertLess(box["y"], 900, "the worst row is not on the first screen")
            # One click shows the proof: both values of the worst elements and the command.
            browser.one("#worst details summary .faint").click()
            stored = self.stored_output(out, WRONG, "forward")
            cells = browser.texts("#worst details:first-of-type td")
            self.assertEqual(cells[1:3], [stored["worst"]["actual"], stored["worst"]["expected"]])
            self.assertIn(f"--api {WRONG}", browser.one("#worst details pre").text)

    def stored_output(self, out, stem, direction):
        for line in (out / "results.jsonl").read_text().splitlines():
            result = json.loads(line)
            if result["stem"] == stem:
                return result[direction]["outputs"][0]
        raise AssertionError(stem)

    def test_every_row_shows_what_the_csv_says(self):
        out = self.checked()
        details = rows(out / "details.csv")
        times = {(row["api_name"], row["direction"]): float(row["target_ms"]) + float(row["reference_ms"])
                 for row in rows(out / "times.csv")}
        with Browser() as browser:
            browser.open(out / "report.html")
            shown = []
            while True:
                shown += browser.run("""return [...document.querySelectorAll('#rows tbody tr')].map(
                    (line) => [...line.cells].map((cell) => cell.textContent))""")
                if "page 2 of 2" in browser.one("#page").text:
                    break
                browser.one("#next").click()
            self.assertEqual(len(shown), len(details))
            for cells, row in zip(shown, details):
                self.assertEqual(cells[1:3] + cells[-1:], [row["api_name"], row["verdict"], row["message"]])
                for cell, column in zip(cells[3:6], ("max_ulp", "significant_bits_worst", "cosine")):
                    self.assertEqual(cell == "", row[column] == "", row)
                    if cell:
                        self.assertAlmostEqual(float(cell), float(row[column]), delta=abs(float(row[column])) * 5.1e-4)
                if cells[6]:
                    stem, direction = row["api_name"].split(".output")[0].rsplit(".", 1)
                    self.assertAlmostEqual(float(cells[6]), times[stem, direction], delta=times[stem, direction] * 5.1e-4)
            counts = [int(text.split()[0]) for text in browser.texts(".tiles li")]
            results = [row[d] for row in rows(out / "result.csv") for d in ("forward", "backward")]
            self.assertEqual(counts, [results.count(v) for v in ("error", "warning", "pass", "skip")])

    def test_filter_order_and_pages(self):
        out = self.checked()
        names = [row["api_name"] for row in rows(out / "details.csv")]
        with Browser() as browser:
            browser.open(out / "report.html")
            self.assertEqual(visible_rows(browser), names[:100])
            box = browser.one("#filter-name")
            box.send_keys("linear")
            self.assertEqual(visible_rows(browser), [name for name in names if "linear" in name])
            box.clear()
            box.send_keys("no such thing")
            self.assertEqual(visible_rows(browser), [])
            self.assertIn("0 of 111", browser.one("#row-count").text)
            box.send_keys(Keys.CONTROL, "a")
            box.send_keys(Keys.DELETE)
            Select(browser.one("#filter-verdict")).select_by_visible_text("error")
            self.assertEqual(visible_rows(browser), [f"{WRONG}.forward.output.0"])
            Select(browser.one("#filter-verdict")).select_by_visible_text("all")
            browser.one("#rows th[data-column='0'] button").click()
            self.assertEqual(visible_rows(browser)[0], f"{WRONG}.forward.output.0")
            numbers = [float(text) for text in browser.texts("#rows tbody td:nth-child(4)") if text]
            self.assertEqual(numbers, sorted(numbers, reverse=True))
            self.assertEqual(browser.one("#rows th[data-column='0']").get_attribute("aria-sort"), "descending")
            browser.one("#next").click()
            self.assertEqual(len(visible_rows(browser)), 11)
            # An operator's name in its table filters the rows.
            browser.one("#operators [data-filter='Mint.matmul.'] button").click()
            self.assertEqual(visible_rows(browser), sorted((n for n in names if "matmul" in n), key=visible_rows(browser).index))
            self.assertEqual(browser.problems(), [])

    def test_drill_down_from_call_to_output_to_elements(self):
        out = self.checked()
        stored = self.stored_output(out, WRONG, "forward")
        row = next(r for r in rows(out / "details.csv") if r["api_name"] == f"{WRONG}.forward.output.0")
        with Browser() as browser:
            browser.open(out / "report.html")
            browser.one("#filter-name").send_keys(WRONG)
            browser.one("#rows tbody button.name").click()
            browser.wait("return document.querySelector('#detail').open")
            self.assertEqual(browser.one("#detail-title").text, row["api_name"])
            elements = browser.run("""return [...document.querySelectorAll('#detail-body table')[0].tBodies[0].rows].map(
                (line) => [...line.cells].map((cell) => cell.textContent))""")
            expected = [stored["worst"]] + stored["next_worst"]
            self.assertEqual(len(elements), 8)
            self.assertEqual([(e[0], e[1], e[2], float(e[3])) for e in elements],
                             [(str(e["index"]), e["actual"], e["expected"], e["ulp"]) for e in expected])
            self.assertEqual([row["worst_index"], row["worst_actual"], row["worst_expected"]], elements[0][:3])
            metrics = dict(zip(browser.texts("#detail-body table:last-of-type tbody th"),
                               browser.texts("#detail-body table:last-of-type tbody td.number")))
            self.assertGreater(len(metrics), 15)
            for name, value in metrics.items():
                self.assertEqual(float(value), float(row[name]), name)
            text = browser.one("#detail-body").text
            self.assertIn(f"--api {WRONG}", text)
            self.assertIn(row["reason"], text)
            self.assertEqual(len(browser.all("#detail-body svg rect")), len(stored["ulp_histogram"]))
            # Up to the call, and down to its other output.
            browser.one("#detail-body dl button.name").click()
            self.assertEqual(browser.one("#detail-title").text, WRONG)
            self.assertEqual(browser.texts("#detail-body td button.name"),
                             [f"{WRONG}.forward.output.0", f"{WRONG}.backward.output.0"])
            browser.all("#detail-body td button.name")[1].click()
            browser.wait("return document.querySelector('#detail-title').textContent === arguments[0]", f"{WRONG}.backward.output.0")
            self.assertEqual(browser.problems(), [])

    def test_the_keyboard_is_enough(self):
        out = self.checked()
        with Browser() as browser:
            browser.open(out / "report.html")
            press = lambda *keys: ActionChains(browser.driver).send_keys(*keys).perform()
            press("/")
            self.assertEqual(browser.driver.switch_to.active_element.get_attribute("id"), "filter-name")
            press("silu", Keys.ESCAPE, "j", "j", Keys.ENTER)
            title = "return document.querySelector('#detail').open && document.querySelector('#detail-title').textContent"
            self.assertEqual(browser.wait(title), f"{WRONG}.backward.output.0")
            press("k")
            browser.wait(title + " === arguments[0]", f"{WRONG}.forward.output.0")
            press(Keys.ESCAPE)
            self.assertFalse(browser.run("return document.querySelector('#detail').open"))
            # What can be clicked can be reached by Tab.
            unreachable = browser.run("""return [...document.querySelectorAll('button, input, select, summary, a')]
                .filter((node) => node.tabIndex < 0).length""")
            self.assertEqual(unreachable, 0)

    def test_light_dark_and_narrow(self):
        out = self.checked()
        grounds = {}
        for name, options in (("light", {}), ("dark", {"dark": True}), ("narrow", {"width": 390, "height": 844})):
            with self.subTest(name), Browser(**options) as browser:
                browser.open(out / "report.html")
                browser.screenshot(SCREENSHOTS / f"report-{name}.png")
                self.assertGreater((SCREENSHOTS / f"report-{name}.png").stat().st_size, 20000)
                grounds[name] = browser.run("return getComputedStyle(document.body).backgroundColor")
                self.assertLessEqual(browser.run("return document.documentElement.scrollWidth - window.innerWidth"), 0)
                # Text stands out from what is behind it (WCAG: 4.5 to 1), in each colour that carries meaning.
                self.assertGreaterEqual(browser.run(CONTRAST), 4.5)
                # Verdicts differ by a mark as well as by colour.
                marks = browser.run("""return ['error', 'warning', 'pass', 'skip'].map((name) =>
                    getComputedStyle(document.querySelector('.tag.' + name), '::before').content)""")
                self.assertEqual(len(set(marks)), 4)
                self.assertEqual(browser.problems(), [])
        self.assertEqual(grounds["light"], grounds["narrow"])
        self.assertNotEqual(grounds["light"], grounds["dark"])
        if os.environ.get("ASSAY_APPROVE"):
            shutil.copy(SCREENSHOTS / "report-light.png", SOURCE / "docs" / "report.png")

    def test_it_is_complete_without_scripts(self):
        out = self.checked()
        with Browser(scripts=False) as browser:
            browser.open(out / "report.html")
            tree = browser.command("DOMSnapshot.captureSnapshot", computedStyles=["display"])
            strings = " ".join(tree["strings"])
            for row in rows(out / "details.csv"):
                self.assertIn(row["api_name"], strings)
            stored = self.stored_output(out, WRONG, "forward")
            for element in [stored["worst"]] + stored["next_worst"]:
                self.assertIn(element["actual"], tree["strings"])
                self.assertIn(element["expected"], tree["strings"])
            self.assertGreaterEqual(strings.count("first error: " + WRONG), 1)

    def test_a_report_of_100000_rows_is_there_in_3_seconds(self):
        out = self.large_run()
        start = time.monotonic()
        self.assertEqual(run("report", out).returncode, 0)
        written = time.monotonic() - start
        page = out / "report.html"
        with Browser() as browser:
            browser.open("about:blank")
            browser.command("Page.enable")
            browser.command("Page.addScriptToEvaluateOnNewDocument", source="""
                new MutationObserver((changes, observer) => {
                  if (!document.querySelector('#rows tbody button.name')) return;
                  performance.mark('rows');
                  observer.disconnect();
                }).observe(document, { childList: true, subtree: true });""")
            browser.open(page)
            paint = browser.wait("return (performance.getEntriesByName('first-contentful-paint')[0] || {}).startTime") / 1000
            usable = browser.wait("return (performance.getEntriesByName('rows')[0] || {}).startTime") / 1000
            start = time.monotonic()
            Select(browser.one("#filter-verdict")).select_by_visible_text("error")
            found = browser.wait("return document.querySelector('#row-count').textContent.startsWith('1 of 100000')")
            filtered = time.monotonic() - start
            self.assertTrue(found)
            browser.one("#rows tbody button.name").click()
            browser.wait("return document.querySelector('#detail').open")
            self.assertEqual(len(browser.all("#detail-body table:first-of-type tbody tr")) > 0, True)
            self.assertEqual(browser.problems(), [])
        print(f"\n{page.stat().st_size / 1e6:.1f} MB, written in {written:.1f} s, first view {paint:.2f} s, rows usable {usable:.2f} s, "
              f"filtered in {filtered:.2f} s")
        self.assertLess(paint, SECONDS_TO_FIRST_VIEW)
        self.assertLess(usable, SECONDS_TO_FIRST_VIEW)

    def large_run(self):
        """A run folder with 100,000 outputs, each with numbers of its own and details as large as those of the real run."""
        random_ = random.Random(1)
        small = self.checked()
        results = [json.loads(line) for line in (small / "results.jsonl").read_text().splitlines()]
        wrong = next(result for result in results if result["stem"] == WRONG)
        patterns = [result for result in results if result["stem"] != WRONG and
                    all("metrics" in output for d in ("forward", "backward") if d in result for output in result[d]["outputs"])]
        out = self.scratch / "large"
        out.mkdir()
        shutil.copy(small / "run.json", out)
        with open(out / "results.jsonl", "w") as file:
            written = 0
            for position in range(ROWS):
                pattern = wrong if written == 0 else random_.choice(patterns)
                result = dict(pattern, position=position, stem=pattern["stem"] if written == 0 else f"{pattern['api']}.{position}")
                for direction in ("forward", "backward"):
                    if direction not in pattern:
                        continue
                    outputs = [another(output, f"{result['stem']}.{direction}.output.{i}", random_)
                               for i, output in enumerate(pattern[direction]["outputs"])][:ROWS - written]
                    written += len(outputs)
                    result[direction] = dict(pattern[direction], outputs=outputs, reference_ms=random_.lognormvariate(0, 1))
                file.write(json.dumps(result) + "\n")
                if written == ROWS:
                    break
        return out


def another(output, name, random_):
    """An output like this one, with other numbers throughout."""
    def moved(value):
        return value * random_.uniform(0.5, 2) if isinstance(value, float) and value not in (0, 1, -1) else value

    def element(worst):
        value = random_.gauss(0, 1)
        return {"index": [random_.randrange(4096) for _ in worst["index"]], "actual": f"{value:.9g}",
                "expected": f"{value * (1 + random_.uniform(-1e-6, 1e-6)):.9g}", "ulp": random_.uniform(0, 40)}

    new = dict(output, name=name, metrics=[moved(value) for value in output["metrics"]])
    if output["verdict"] != "error":
        new["worst"] = element(output.get("worst", {"index": [0, 0, 0]}))
        new["next_worst"] = [element(new["worst"]) for _ in range(7)]
        new["ulp_histogram"] = [[bin_, random_.randrange(1, 100000)] for bin_ in range(random_.randrange(2, 9))]
    return new


CONTRAST = """
const channel = (value) => { value /= 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
const light = (text) => {
  const [r, g, b] = text.match(/[\\d.]+/g).map(Number);
  return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
};
const ground = light(getComputedStyle(document.body).backgroundColor);
return Math.min(...['.tag.error', '.tag.warning', '.tag.pass', '.tag.skip', '.hint', 'button.name', 'body', 'th'].map((name) => {
  const ink = light(getComputedStyle(document.querySelector(name)).color);
  return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
}));
"""


class ServedReport(SpoiledRun):
    def serve(self, folder, *arguments):
        process = subprocess.Popen([ASSAY, "report", folder, "--serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        line = process.stdout.readline()
        self.assertIn("http://127.0.0.1:", line, process.poll() is not None and process.stderr.read())
        return process, line.split(" at ")[1].split()[0]

    def test_a_growing_run_is_shown_live(self):
        whole = self.checked()
        lines = (whole / "results.jsonl").read_text().splitlines(keepends=True)
        run_json = json.loads((whole / "run.json").read_text())
        growing = self.scratch / "growing"
        growing.mkdir()
        (growing / "run.json").write_text(json.dumps(dict(run_json, complete=False)))
        (growing / "results.jsonl").write_text("".join(lines[:5]) + lines[5][:30])
        process, url = self.serve(growing)
        with Browser() as browser:
            browser.open(url)
            count = "return document.querySelector('#row-count').textContent"
            self.assertTrue(browser.run(count).endswith("of 5 rows"), browser.run(count))
            browser.one("#filter-name").send_keys("i")
            with open(growing / "results.jsonl", "a") as file:
                file.write(lines[5][30:] + "".join(lines[6:]))
            browser.wait(count + ".endsWith('of 111 rows')")
            self.assertEqual(browser.one("#filter-name").get_attribute("value"), "i")
            self.assertIn(WRONG, browser.one("#worst").text)
            self.assertIn("Incomplete", browser.one("header .verdict").text)
            (growing / "run.json").write_text(json.dumps(run_json))
            browser.wait("return !document.querySelector('header .verdict').textContent.includes('Incomplete')")
            browser.one("#worst [data-row] button").click()
            self.assertTrue(browser.wait("return document.querySelector('#detail').open"))
            self.assertEqual(browser.problems(), [])
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), 0)

    def test_it_listens_on_this_machine_only_and_answers_no_other_host(self):
        out = self.checked()
        _, url = self.serve(out)
        port = int(url.split(":")[2].strip("/"))
        listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        addresses = {fields[1] for fields in listening if fields[3] == "0A" and fields[1].endswith(f":{port:04X}")}
        self.assertEqual(addresses, {f"0100007F:{port:04X}"})
        self.assertFalse(any(line.split()[1].endswith(f":{port:04X}") for line in Path("/proc/net/tcp6").read_text().splitlines()[1:]))
        self.assertIn("assay", urllib.request.urlopen(url).read().decode())
        for path, host, status in (("", "evil.example", 403), ("state", "evil.example", 403), ("../run.json", None, 404),
                                   ("results.jsonl", None, 404)):
            request = urllib.request.Request(url + path, headers={"Host": host} if host else {})
            with self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(request)
            self.assertEqual(caught.exception.code, status, path)
        # A second server can't share the port.
        process = run("report", out, "--serve", "--port", port, timeout=20)
        self.assertEqual(process.returncode, 2)
        self.assertIn("the port is taken", process.stderr)


class PerturbReport(TestCase):
    @classmethod
    def setUpClass(cls):
        SCREENSHOTS.mkdir(exist_ok=True)

    def test_the_same_page_serves_perturb(self):
        out = self.scratch / "perturb"
        process = run("perturb", EXAMPLE, "--out", out, "--api", "Mint.log.0", "--api", "MintFunctional.softmax.0")
        self.assertIn(process.returncode, (0, 1), process.stderr)
        table = rows(out / "perturb.csv")
        first = (out / "report.html").read_text()
        with Browser() as browser:
            browser.open(out / "report.html")
            self.assertEqual(browser.problems(), [])
            self.assertEqual(len(visible_rows(browser)), len(table))
            for shown, row in zip(browser.texts("#rows tbody td:nth-child(4)"), table):
                self.assertEqual(shown == "", row["amplification"] == "")
                if shown:
                    self.assertAlmostEqual(float(shown), float(row["amplification"]), delta=5.1e-4 * float(row["amplification"]))
            browser.one("#rows tbody button.name").click()
            self.assertTrue(browser.wait("return document.querySelector('#detail').open"))
            browser.screenshot(SCREENSHOTS / "perturb.png")
        (out / "report.html").unlink()
        self.assertEqual(run("report", out).returncode, 0)
        self.assertEqual((out / "report.html").read_text(), first)


if __name__ == "__main__":
    unittest.main()
