"""Which share of a package's functions are candidates, alone and with what they need, and why the others are none.

    python tests/bench/share.py --draw NAME [--packages N]

Reads the newest releases of packages that are drawn by hash (needs the package index); nothing of them is imported or
run. Counted are the functions of files that are no tests, documents or copies of other projects; duplicates, licences
and dates are not asked about. A slice counts where the function itself is no candidate. Prints a line a package, the
sum, and four tables: what becomes of functions, methods and nested functions by filter, why functions of a module
that do not stand alone are no slices, why methods are no records, and why classes are no sequences of operations.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from drawn import add_without, drawn
from newest import InMemory, newest

from ingester.domain.analysis import FoundFunction, analyse_file
from ingester.domain.filters import Limits, judge_place
from ingester.domain.libraries import default_libraries
from ingester.domain.packages import Package
from ingester.ports import Source
from ingester.usecases.ingestion import own_names
from touchstone_runtime.forms import MADE_FORMS

_WHY = {
    "not an allowed library": "needs a library that is not allowed",
    "more than once": "a name is bound more than once",
    "under a condition": "a name is bound under a condition",
    "changed": "a value is filled or changed",
    "may be set by": "a value is filled or changed",
    "something may change": "a value is filled or changed",
    "star import": "a star import may bring a name",
    "when the file is imported": "a file does more than define when it is imported",
    "attribute of the function's own module": "needs attributes of its module",
    "coroutine": "needs a coroutine",
    "decorat": "a decorator may keep state",
    "global": "sets a global",
    "complexity": "complexity outside 2 to 30",
    "needs more than": "too large",
    "longer than": "too large",
}
# Of a method: what stands before these words is a name.
_OF_METHODS = (
    "is no known attribute of the class", "inherits from several classes", "which is no part of the package",
    "which may be several things", "which computes attributes", "which is no class", "is decorated with",
    "is a value of its class that may be computed", "is a value of its class that something sets", "is computed once",
    "is an attribute of a base outside", "is defined in a base of another file", "is a value of a base in another file",
    "is bound more than once", "as a value", "is no class of the module", "changes", "uses its object as a whole",
    "is a function of a base", "of its object", "coroutine or a generator", "is changed in", "fields",
    "is a method that",
)  # fmt: skip


def why(found: FoundFunction) -> str:
    """The kind of a reason for which a function is no slice, or a method no record."""
    words = found.no_slice or "needs nothing of its package"
    if found.form == "method":
        # A method that calls another one is refused for the reason of that one.
        last = words.rpartition(", which ")[2] if words.startswith("calls ") else words
        known = next((part for part in _OF_METHODS if part in last), "")
        if known:
            return f"its class {known}" if last.startswith("its class") else known
    known = next((label for part, label in _WHY.items() if part in words), "")
    return known or re.sub(r"(line )?\d+", "N", words)[:60]


def measured(name: str) -> tuple[str, Counter[str], Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Counts of one package: what became of its functions, by form and filter, and why they are no candidates."""
    count, filters, reasons = Counter[str](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    limits = Limits(own_names=own_names(Source(name, "package", name)))
    with newest(name) as (version, opened):
        label = f"{name} {version.version}"
        files = {file.path: file.content for file in opened}
    package = Package(InMemory(files), default_libraries())
    for path, content in files.items():
        if judge_place(path) is not None:
            continue
        found = analyse_file(content, path, limits=limits, sketch=False, package=package).functions
        cut = {each.qualname: each for each in found if each.form in MADE_FORMS}
        for each in found:
            if each.form == "class":
                count["classes"] += 1
                if each.qualname in cut:
                    count["sequence"] += 1
                else:
                    reasons["class", why(each)] += 1
            if each.form == "class" or each.form in MADE_FORMS:
                continue
            count["functions"] += 1
            sliced = cut.get(each.qualname) if each.rejected_by else None
            if not each.rejected_by:
                count["alone"] += 1
            elif sliced is not None:
                count[sliced.form] += 1
                count[f"{sliced.form}_over_files"] += any(part.path != path for part in sliced.parts)
            else:
                filters[each.form, each.rejected_by] += 1
                if each.form == "method" or (each.form == "function" and each.rejected_by == "dependencies"):
                    reasons[each.form, why(each)] += 1
    return label, count, filters, reasons


def main() -> None:
    """Measure a draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", required=True)
    parser.add_argument("--packages", type=int, default=16)
    add_without(parser)
    asked = parser.parse_args()
    total, filters, reasons = Counter[str](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    with ProcessPoolExecutor(2) as pool:
        for label, *counts in pool.map(measured, drawn(asked.draw, asked.packages, asked.without)):
            print(json.dumps({"package": label, **counts[0]}), flush=True)
            total += counts[0]
            filters += counts[1]
            reasons += counts[2]
    candidates = total["alone"] + total["slice"] + total["record"]
    share = round(candidates / max(1, total["functions"]), 4)
    print(json.dumps({"bench": "share", "draw": asked.draw, **total, "candidates": candidates, "share": share}))
    for (form, refused), number in filters.most_common():
        sys.stdout.write(f"{number:7} {form}: {refused}\n")
    for form, head in (
        ("function", "Functions of a module that need more than themselves, and are no slice:"),
        ("method", "Methods that are no record:"),
        ("class", "Classes that are no sequence of operations:"),
    ):
        sys.stdout.write(f"{head}\n")
        of_form = Counter({reason: number for (each, reason), number in reasons.items() if each == form})
        for reason, number in of_form.most_common(30):
            sys.stdout.write(f"{number:7} {reason}\n")


if __name__ == "__main__":
    main()
