#!/usr/bin/env python3
"""lay.py NIGHT WORKSPACE: lays one night of the advisories out beside this workspace's ontology and job.

NIGHT has documents/, feed.csv (a row an advisory) and truth_edges.csv (what the advisories' metadata says).
A crate is a row of its own here, and a requirement of the metadata such as `>= 1.2.0` is the release `1.2.0`, as
the prose writes it. A release counts as stated if its number stands in the prose.
"""

import csv
import re
import shutil
import sys
from pathlib import Path


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path, columns, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def releases(row, text):
    """The releases of a requirement, each as the prose writes it: `1.2.0`, `v1.2.0`, or both."""
    for version in re.findall(r"(?:>=|\^|=)\s*([0-9][\w.+-]*)", row["target"]):
        spelled = [v + version for v in ("", "v") if re.search(rf"(?<![\w.]){v}{re.escape(version)}(?![\w.]*\w)", text)]
        for release in spelled or [version]:
            yield {**row, "target": f"Release:{release}", "stated": "yes" if spelled else "no"}


def main():
    night, workspace = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.copytree(night / "documents", workspace / "documents", dirs_exist_ok=True)
    advisories = rows(night / "feed.csv")
    write(workspace / "feeds/advisories.csv", list(advisories[0]), advisories)
    crates = sorted({row["package"] for row in advisories})
    write(workspace / "feeds/crates.csv", ["name"], [{"name": crate} for crate in crates])
    truth = []
    for row in rows(night / "truth_edges.csv"):
        if row["type"] == "AFFECTS":
            truth.append({**row, "target": row["target"].replace("crate:", "Crate:", 1)})
        if row["type"] == "FIXED_IN":
            truth.extend(releases(row, (night / row["evidence_file"]).read_text(encoding="utf-8")))
    write(workspace / "truth.csv", ["source", "type", "target", "stated"], truth)


if __name__ == "__main__":
    main()
