#!/usr/bin/env python3
"""lay.py CUAD WORKSPACE: lays labelled contracts out beside this workspace's ontology and job.

CUAD has documents/, feed_documents.csv (a row a contract) and truth_edges.csv (the labels). The master data of
parties is the list of the names that the labels give, without the five that name nobody. Of a label such as
`Ontario, Canada` the law is that of Ontario; England and Wales have one. Of the label on renewal the lengths of time
are questions: `3 successive 1 year` says one year.
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


def names_nobody(name):
    """True of "the seller" and the like, which say what somebody is."""
    return name == "Distributor" or name.split()[0] in {"an", "the"} or name.lower().startswith("each party")


NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def periods(label):
    """The lengths of time that a label says, as the keys of the graph."""
    found = []
    for number, unit in re.findall(r"([0-9.]+|\w+)(?: \([0-9]+\))? (year|month)", label.lower()):
        count = NUMBERS.index(number) + 1 if number in NUMBERS else float(number)
        years, months = divmod(round(count * (12 if unit == "year" else 1)), 12)
        found.append("P" + (f"{years}Y" if years else "") + (f"{months}M" if months else ""))
    return found


def main():
    labels, workspace = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.copytree(labels / "documents", workspace / "documents", dirs_exist_ok=True)
    contracts = rows(labels / "feed_documents.csv")
    renewals = []
    for row in contracts:
        lengths = periods(row["renewal"])
        row["renewal_label"] = "period" if lengths else "other" if row["renewal"] else ""
        of_row = {"source": row["contract_id"], "type": "RENEWS_FOR", "stated": "yes"}
        renewals += [of_row | {"target": f"Period:{length}"} for length in lengths]
    write(workspace / "feeds/contracts.csv", list(contracts[0]), contracts)
    truth = rows(labels / "truth_edges.csv")
    names = sorted({row["source"] for row in truth if row["type"] == "PARTY_TO"})
    write(workspace / "feeds/parties.csv", ["name"], [{"name": name} for name in names if not names_nobody(name)])
    for row in truth:
        if row["type"] == "GOVERNED_BY":
            law = row["target"].removeprefix("jurisdiction:").split(",")[0]
            row["target"] = f"Jurisdiction:{'England' if law == 'Wales' else law}"
    write(workspace / "truth.csv", list(truth[0]), truth + renewals)


if __name__ == "__main__":
    main()
