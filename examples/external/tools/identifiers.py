#!/usr/bin/env python3
"""Bank accounts, VAT numbers and legal entity identifiers in running text, for a rule of kind `external`.

A pattern can tell the shape of such a number and not whether it is one: each has check digits, and every country
its own rules. python-stdnum knows them, without a model and without a network. What has the shape of a number and
wrong check digits is said all the same, with a confidence that makes it wait for a person: somebody mistyped it,
or somebody wants a payment to go elsewhere.

The contract is docs/external.md, version 1: a request a line in, an answer a line out.
"""

import json
import re
import sys

from stdnum import iban, lei
from stdnum.eu import vat
from stdnum.exceptions import InvalidChecksum, ValidationError

# What a number looks like: groups of letters and digits, as people write them, after a word that announces it.
GROUPS = r"(?:\s+is)?\W{0,3}(?P<number>[A-Z0-9]{2,}(?:[ .\-]?[A-Z0-9]+)*)"
KINDS = [
    ("paid_to", "BankAccount", "IBAN", iban, re.compile(rf"\bIBAN{GROUPS}")),
    ("registered_as", "TaxNumber", "VAT", vat, re.compile(rf"\bVAT(?: ID| No\.?| number)?{GROUPS}")),
    ("registered_as", "LegalEntityId", "LEI", lei, re.compile(rf"\bLEI{GROUPS}")),
]

# The edges of which a sentence says since when they hold: nobody dates a registration beside an account.
DATED = {"paid_to"}

DAY = r"\d{1,2} \w+ \d{4}|\w+ \d{1,2}, \d{4}|\d{4}-\d{2}-\d{2}"
SINCE = re.compile(rf"\b(?:since|from|as of)\s+(?P<day>{DAY})", re.IGNORECASE)
UNTIL = re.compile(rf"\b(?:until|up to)\s+(?P<day>{DAY})", re.IGNORECASE)

# A sentence ends at a stop before a space and a capital letter; one inside a number has none behind it.
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")

SURE = 0.95
WRONG_CHECK_DIGITS = 0.4


def sentences(text):
    """The sentences as (start, end)."""
    start = 0
    for gap in SENTENCE_END.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


def number(kind, written):
    """The number at the beginning of a text, and how sure that is.

    What follows a number may look like one more group of it, so the longest beginning that is a number counts. If
    none is, the longest that has only wrong check digits does.
    """
    groups = list(re.finditer(r"[A-Z0-9]+", written))
    mistyped = None
    for last in reversed(groups):
        compact = re.sub(r"[^A-Z0-9]", "", written[: last.end()])
        try:
            return kind.validate(compact), SURE
        except InvalidChecksum:
            mistyped = mistyped or (compact, WRONG_CHECK_DIGITS)
        except ValidationError:
            pass
    return mistyped


def owner(request, start, at):
    """Whose number it is: the last one who is named before it in its sentence, else the document's own."""
    before = [mention for mention in request["mentions"] if start <= mention["span"][0] < at]
    if before:
        return {"span": before[-1]["span"]}
    if request["document"]["self"]:
        return {"entity": request["document"]["self"]}
    return None


def day(pattern, edge, text):
    found = pattern.search(text) if edge in DATED else None
    return found and found.group("day")


def assertions(request):
    text = request["text"]
    for start, end in sentences(text):
        sentence = text[start:end]
        for edge, entity_type, prefix, kind, shape in KINDS:
            for match in shape.finditer(sentence):
                found = number(kind, match.group("number"))
                subject = owner(request, start, start + match.start())
                if not found or not subject:
                    continue
                compact, confidence = found
                yield {
                    "edge": edge,
                    "subject": subject,
                    "object": {"entity": f"{entity_type}:{prefix}-{compact}"},
                    "quote": [start, end],
                    "valid_from": day(SINCE, edge, sentence),
                    "valid_to": day(UNTIL, edge, sentence),
                    "confidence": confidence,
                }


def answer(request):
    if request["version"] != 1:
        return {"id": request["id"], "error": f"the contract {request['version']} is not known"}
    return {"id": request["id"], "assertions": list(assertions(request))}


def main():
    for line in sys.stdin.buffer:
        said = json.dumps(answer(json.loads(line)), ensure_ascii=False)
        sys.stdout.buffer.write(said.encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
