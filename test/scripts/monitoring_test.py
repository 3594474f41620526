#!/usr/bin/env python3
"""Checks the dashboard and the alerts of packaging/monitoring: that the dashboard is what Grafana
takes, that every metric that the two name is one that the sources make, under the type that the
query needs, and that the table of metrics and the buckets of histograms lack none.
"""

import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MONITORING = ROOT / "packaging" / "monitoring"
DASHBOARD = MONITORING / "kinformer-dashboard.json"
ALERTS = MONITORING / "kinformer-alerts.yaml"
METRIC = re.compile(r"\b(?:certificate_manager|certwatcher|controller_runtime|informer|kinformer|"
                    r"leader_election|reflector|rest_client|workqueue)_[a-z0-9_]+\b")
MADE = re.compile(r'"((?:certificate_manager|certwatcher|controller_runtime|informer|kinformer|'
                  r'leader_election|reflector|rest_client|workqueue)_[a-z0-9_]+)"')
HISTOGRAM = re.compile(r'NewHistogram\(\s*"([a-z0-9_]+)"')


def sources():
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in (".cc", ".h") and "test" not in path.name and "testing" not in path.parts:
            yield path.read_text(encoding="utf-8")


def made():
    """Names of metrics in the sources, and those of them that are histograms."""
    names, histograms = set(), set()
    for text in sources():
        names.update(MADE.findall(text))
        histograms.update(HISTOGRAM.findall(text))
    # Those that are made by a function which gets the name.
    for name in names:
        if name.startswith("rest_client_") and name.endswith(("_bytes", "_duration_seconds")):
            histograms.add(name)
    return names, histograms


def queries():
    """The place and the text of each query."""
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    text = ALERTS.read_text(encoding="utf-8")
    for alert, rest in re.findall(r"- alert: (\w+)\n(.*?)(?=labels:)", text, re.DOTALL):
        yield alert, rest


def dashboard():
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))


class Metrics(unittest.TestCase):
    def test_each_metric_of_a_query_is_made(self):
        names, histograms = made()
        found = 0
        for place, query in queries():
            for name in METRIC.findall(query):
                found += 1
                family = re.sub(r"_(bucket|sum|count)$", "", name)
                if family in histograms:
                    self.assertNotEqual(name, family, f"{place}: {name} is a histogram")
                else:
                    self.assertIn(name, names, place)
        self.assertGreater(found, 60)

    def test_quantiles_are_of_buckets_by_le(self):
        for place, query in queries():
            if "histogram_quantile" in query:
                self.assertRegex(query, r"_bucket[{\[]", place)
                self.assertRegex(query, r"by \([^)]*\ble\b", place)

    def test_each_alert_has_its_texts(self):
        text = ALERTS.read_text(encoding="utf-8")
        alerts = re.split(r"\n +- alert: ", text)[1:]
        self.assertGreater(len(alerts), 15)
        names = [alert.split("\n")[0] for alert in alerts]
        self.assertEqual(len(names), len(set(names)))
        for alert in alerts:
            for part in ("expr:", "severity:", "summary:", "description:"):
                self.assertIn(part, alert)

    def test_each_histogram_has_buckets_of_its_own(self):
        text = (ROOT / "src/base/core/histogram_buckets.cc").read_text(encoding="utf-8")
        prefixes = re.findall(r'\{"([a-z_]+)", "', text)
        self.assertGreater(len(prefixes), 10)
        _, histograms = made()
        self.assertGreater(len(histograms), 10)
        for name in histograms:
            self.assertTrue(any(name.startswith(prefix) for prefix in prefixes),
                            f"{name} has no row in histogram_buckets.cc")


class Dashboard(unittest.TestCase):
    def test_panels_have_their_own_ids_and_places(self):
        panels = dashboard()["panels"]
        self.assertGreater(len(panels), 25)
        ids = [panel["id"] for panel in panels]
        self.assertEqual(len(ids), len(set(ids)))
        taken = {}
        for panel in panels:
            place = panel["gridPos"]
            self.assertGreater(place["w"], 0)
            self.assertGreater(place["h"], 0)
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            for x in range(place["x"], place["x"] + place["w"]):
                for y in range(place["y"], place["y"] + place["h"]):
                    other = taken.setdefault((x, y), panel["title"])
                    self.assertEqual(other, panel["title"], "two panels in one place")

    def test_panels_have_titles_units_and_queries(self):
        titles = set()
        for panel in dashboard()["panels"]:
            self.assertNotIn(panel["title"], titles)
            titles.add(panel["title"])
            if panel["type"] == "row":
                continue
            self.assertIn(panel["type"], ("stat", "timeseries"))
            self.assertTrue(panel["fieldConfig"]["defaults"]["unit"], panel["title"])
            references = [target["refId"] for target in panel["targets"]]
            self.assertTrue(references, panel["title"])
            self.assertEqual(len(references), len(set(references)), panel["title"])

    def test_variables_are_declared(self):
        declared = {variable["name"] for variable in dashboard()["templating"]["list"]}
        text = DASHBOARD.read_text(encoding="utf-8")
        used = set(re.findall(r"\$\{?([a-z]+)\b", text))
        self.assertEqual(used, declared)


if __name__ == "__main__":
    unittest.main()
