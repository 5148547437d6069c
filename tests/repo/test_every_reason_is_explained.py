"""`touchstone explain` knows every reason, outcome and state that services and commands tell."""

import ast
from pathlib import Path
from typing import get_args

from annotator.domain.record import DecidedBy
from evaluator.domain.outcomes import CANCELLED
from evaluator.domain.outcomes import Outcome as Judged
from ingester.domain.filters import FILTERS
from ingester.ports import SourceState
from pbt_generator.domain.refusals import Reason
from sandbox_executor.domain.outcomes import Outcome as Ended
from touchstone_cli.explain import _MET, catalogue
from touchstone_cli.reports import Checked

INGESTER = Path(__file__).parents[2] / "services" / "ingester" / "src"


def written_rejections():
    """Every reason for which the ingester writes down that a function is no candidate, as its source has them."""
    found = set()
    for path in INGESTER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            given = []
            if isinstance(node, ast.keyword) and node.arg == "rejected_by":
                given = [node.value]
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
                names = [getattr(name, "id", "") for target in node.targets for name in getattr(target, "elts", ())]
                given = node.value.elts[:1] if names[:1] == ["rejected"] else []
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Rejection":
                given = node.args[:1]
            for value in given:
                # A condition's branches are reasons, and what it asks is none.
                branches = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
                found |= {each.value for each in branches if isinstance(each, ast.Constant)}
    return found - {""}


def test_nothing_that_services_tell_is_left_unexplained():
    told = {*FILTERS, *(each.value for names in (Reason, Judged, Ended) for each in names)}
    told |= {*get_args(SourceState), *get_args(DecidedBy), CANCELLED, "pending", "retracted", "undecided"}
    assert told - set(catalogue()) == set()


def test_nothing_that_the_ingester_writes_down_is_left_unexplained():
    written = written_rejections()
    assert {"licence", "vendored", "class", "language"} <= written
    assert written - set(catalogue()) == set()


def test_nothing_that_ci_reports_is_left_unexplained():
    outcomes = get_args(Checked.__annotations__["outcome"]) or ast.literal_eval(
        str(Checked.__annotations__["outcome"]).removeprefix("Literal").replace("[", "(").replace("]", ")")
    )
    assert len(outcomes) > 3 and set(outcomes) - set(catalogue()) == set()


def test_each_says_what_it_means_and_what_to_do():
    for name, entry in catalogue().items():
        assert entry["kind"] in _MET, name
        assert entry["means"].endswith(".") and entry["do"].endswith("."), name
