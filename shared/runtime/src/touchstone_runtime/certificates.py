"""What a task's certificate says, as a table for people: a terminal and a page show the same rows."""

from __future__ import annotations

from typing import Any

from touchstone_runtime.counts import counted
from touchstone_runtime.shares import percent

Fact = tuple[str, str]


def facts(certificate: dict[str, Any]) -> list[Fact]:
    """The rows of a certificate.

    Args:
        certificate: As the generator keeps it; what an older one does not name has no row.

    Returns:
        For each fact its name, and what the certificate says of it.

    Example:
        >>> facts({"mutation": {"mutants": 4, "killed": 3, "proved": ["one"], "survivors": []}})
        [('Mutants', '3 of 4 killed, 1 proved equivalent, 0 alive')]
    """
    if certificate.get("imported"):
        return _imported(certificate)
    found: list[Fact] = []
    trials = certificate.get("trials", [])
    if trials:
        passing = [trial for trial in trials if trial["must_pass"]]
        wrong = [trial for trial in trials if not trial["must_pass"]]
        found.append(("Certified in", ", ".join(certificate.get("languages", [])) or "no language"))
        found.append(
            ("Tried on", f"{_went(passing)} right programs, which pass; {_went(wrong)} wrong ones, which fail")
        )
        found += [
            ("Not as it should", f"{trial['program']} in {trial['language']}: {trial['verdict']}")
            for trial in trials
            if (trial["verdict"] == "passed") != trial["must_pass"]
        ]
    if coverage := certificate.get("coverage"):
        found.append(
            (
                "Branches",
                f"{percent(coverage.get('share', 0), 0)}% of {coverage.get('branches', 0)}: "
                f"{coverage.get('returning', 0)} reached by cases, {coverage.get('raising', 0)} by inputs that raise, "
                f"{coverage.get('dead', 0)} proved unreachable",
            )
        )
    if mutation := certificate.get("mutation"):
        found.append(
            (
                "Mutants",
                f"{mutation.get('killed', 0)} of {mutation.get('mutants', 0)} killed, "
                f"{len(mutation.get('proved', []))} proved equivalent, {len(mutation.get('survivors', []))} alive",
            )
        )
    found += _mistakes(certificate.get("mistakes") or {})
    if "distinct_results" in certificate:
        most = f"the most frequent is that of {percent(certificate.get('largest_share', 0), 0)}% of the cases"
        found.append(("Results", f"{certificate['distinct_results']} distinct; {most}"))
    found += [("Read otherwise", _read_otherwise(each)) for each in certificate.get("blind", [])]
    return found + _inputs(certificate.get("inputs") or {})


def _mistakes(mistakes: dict[str, Any]) -> list[Fact]:
    """What became of the wrong programs that a model made up."""
    if not mistakes.get("model"):
        return []
    programs: list[dict[str, Any]] = mistakes["programs"]
    told = sum(each["told_apart"] for each in programs)
    rows = [("Mistakes", f"{told} of {counted(len(programs), 'wrong program')} that {mistakes['model']} made up fail")]
    return rows + [("Mistake that passes", each["words"]) for each in programs if not each["told_apart"]]


def _read_otherwise(blind: dict[str, Any]) -> str:
    told = counted(len(blind["told"]), "example")
    return f"{told} added after {blind['model']} read the version {blind['task_id'][:8]} otherwise"


def _imported(certificate: dict[str, Any]) -> list[Fact]:
    """What is known of a task that somebody else made: their ground truth passes, and no more is proved."""
    whose = certificate["imported"]
    origin = f", from {whose['origin']}" if whose["origin"] else ""
    weak = ", ".join(certificate["weak"])
    return [
        ("Imported", f"{whose['foreign_id']} of {whose['name']} {whose['version']}, {whose['licence']}{origin}"),
        ("Ground truth", f"passes ({_went(certificate['trials'])} runs); coverage and mutants are not measured"),
        *(("Left out", words) for words in certificate["left_out"]),
        *([("Passed by", f"known-wrong programs: {weak}")] if weak else []),
    ]


def _inputs(inputs: dict[str, Any]) -> list[Fact]:
    """Where the inputs of the cases come from, what callers may send, and what stands outside."""
    if not inputs:
        return []
    outside = inputs.get("robustness", {})
    answered = f"{counted(outside.get('cases', 0), 'input')} answered"
    return [
        (
            "Inputs",
            f"{counted(inputs['real'], 'case')} with inputs that callers send, {inputs['near']} near such, "
            f"{inputs['inferred']} inferred",
        ),
        *(
            (f"Callers send {name}", "; ".join(f"{clause['text']} ({clause['source']})" for clause in clauses))
            for name, clauses in inputs["domain"].items()
            if clauses
        ),
        *_traced(inputs.get("traced") or {}),
        ("Outside", f"{answered}, {len(outside.get('refused', []))} refused with an error; apart from the cases"),
    ]


def _traced(traced: dict[str, Any]) -> list[Fact]:
    """What running the package's own tests showed of the function."""
    if not traced.get("note"):
        return []
    found = [("The package's own", f"{traced['note']}; {counted(traced['calls'], 'call')} of this function seen")]
    if traced["same"] or traced["other"]:
        agree = f"{traced['same']} of {counted(traced['same'] + traced['other'], 'result')}"
        found.append(("Ground truth alone", f"gives {agree} that were seen there"))
    return found


def _went(trials: list[dict[str, Any]]) -> str:
    good = sum((trial["verdict"] == "passed") == trial["must_pass"] for trial in trials)
    return str(good) if good == len(trials) else f"{good} of {len(trials)}"
