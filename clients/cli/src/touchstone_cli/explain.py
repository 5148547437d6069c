"""`touchstone explain`: what a reason, an outcome or a state means, and what to do about it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import print_json, print_table

_CATALOGUE = Path(__file__).with_name("explain.toml")
_MET = {
    "filter": "a filter; see `touchstone classify` and `touchstone funnel`",
    "refusal": "why a candidate gave no task; see `touchstone try` and `touchstone tasks refused`",
    "outcome": "how a candidate ended; see `touchstone evaluate` and `touchstone sandbox cases`",
    "state": "how far a source, a run or an answer is; see `touchstone sources list` and `touchstone runs list`",
    "label": "what a label says, or who decided it; see `touchstone pairs list`",
    "ci": "what became of a changed function; see `touchstone ci`",
}


def catalogue() -> dict[str, dict[str, str]]:
    """Every reason by its name: kind, means, do."""
    return tomllib.loads(_CATALOGUE.read_text("utf-8"))


def explain(
    reason: Annotated[str, typer.Argument(help="As it stands in a table; all are listed when left out.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what a reason or an outcome means, and what to do about it.

    Example: touchstone explain coverage_incomplete
    """
    known = catalogue()
    if not reason:
        if as_json:
            print_json([{"name": name, **entry} for name, entry in known.items()])
            return
        print_table(("name", "kind", "means"), [(name, entry["kind"], entry["means"]) for name, entry in known.items()])
        return
    name = reason.strip().lower().replace(" ", "_").replace("-", "_")
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, known, 3)
        hint = f"did you mean {' or '.join(near)}?" if near else "`touchstone explain` lists all"
        raise CliError(f"{reason}: not known; {hint}", exit_code=2)
    entry = known[name]
    if as_json:
        print_json({"name": name, **entry})
        return
    print(f"{name}: {_MET[entry['kind']]}\n{entry['means']}\n→ {entry['do']}")
