"""Report: what has happened, and what of it is wrong."""

import json
import re
import sys

from cluster import key_of

SHOWN = 10  # of the keys that differ


def canonical(objects):
    """By key: the text of the object with its members in order. Items of a list say neither their
    kind nor their version."""
    texts = {}
    for one in objects:
        rest = {name: value for name, value in one.items() if name not in ("kind", "apiVersion")}
        texts[key_of(one["metadata"])] = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return texts


class Report:
    """`failures`: sentences; empty is good."""

    def __init__(self):
        self.failures = []
        self.rollouts = 0
        self._comparisons = self._objects = self._differences = 0
        self._figures = []

    def compared(self, objects, wrong):
        self._comparisons += 1
        self._objects += objects
        self._differences += len(wrong)
        print(f"{objects} objects compared, {len(wrong)} differ", file=sys.stderr, flush=True)
        if wrong:
            self.failures.append(f"{len(wrong)} objects differ: {', '.join(wrong[:SHOWN])}")

    def finish(self, client, servers):
        """Reads what client and servers have counted."""
        by_informer = {line.split(" ")[0]: dict(re.findall(r"(\w+)=(\d+)", line))
                       for line in client.stats()}
        total = {name: sum(int(one[name]) for one in by_informer.values())
                 for name in ("added", "modified", "deleted", "watches", "lists", "expired",
                              "checks", "errors")}
        opened, still_open = client.proxy.connections, client.proxy.open_connections()
        went = opened - still_open - servers.cut
        self._figures = [
            ("servers killed", servers.kills), ("rollouts", self.rollouts),
            ("events", total["added"] + total["modified"] + total["deleted"]),
            ("requests", servers.requests(client.user)), ("watches", total["watches"]),
            ("attempts that failed", total["errors"]),
            ("connections", opened), ("of them ended by a kill", servers.cut),
            ("of them ended by GOAWAY", went),
            ("lists", f"{total['lists']}, {len(by_informer)} of them the first"),
            ("410 Gone", total["expired"]), ("consistency checks", total["checks"])]
        for informer, counts in by_informer.items():
            self._judge(informer, {name: int(value) for name, value in counts.items()})
        for what, count in (("no server was killed", servers.kills),
                            ("no connection was ended by GOAWAY", went),
                            ("nothing was rolled", self.rollouts)):
            if count <= 0:
                self.failures.append(what)

    def _judge(self, informer, counts):
        """A list after the first has a version that was too old as its reason: the etcd lost
        nothing, so that nothing else can be one."""
        if counts["lists"] - 1 > counts["expired"]:
            self.failures.append(f"{informer}: {counts['lists']} lists, and {counts['expired']} "
                                 "times was a version too old")
        for name in ("epochs", "gaps", "inconsistencies"):
            if counts[name]:
                self.failures.append(f"{informer}: {counts[name]} {name}")

    def __str__(self):
        figures = [*self._figures, ("comparisons", self._comparisons),
                   ("objects compared", self._objects), ("differences", self._differences)]
        return "\n".join(["| what | how many |", "|---|---|",
                          *(f"| {name} | {value} |" for name, value in figures),
                          *(f"FAIL {failure}" for failure in self.failures)])
