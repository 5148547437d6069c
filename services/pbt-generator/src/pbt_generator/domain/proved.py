"""What a certificate bears out of a task's record: whose task it is, its languages, and its figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbt_generator.domain.foreign import IMPORTERS, NOT_MEASURED
from pbt_generator.domain.stated import DIGITS, contradicted, score_of, share_of, unstated, weighs
from touchstone_runtime.source_kinds import BENCHMARK


def unproved(record: Mapping[str, Any], certificate: Mapping[str, Any]) -> list[str]:
    """What a record says of its task and its certificate does not, one line each.

    Args:
        record: Of a released task.
        certificate: Of its suite.
    """
    task, source = record["task"], record["function"]["source"]
    whose: Mapping[str, Any] = certificate.get("imported") or {}
    builder = str(certificate["builder"])
    # Of an imported task little is proved and nothing measured: no part may say it by itself.
    signs = (source["kind"] == BENCHMARK, builder.startswith(IMPORTERS), bool(whose))
    if len(set(signs)) > 1:
        its = f"its certificate {'says' if whose else 'does not say'}"
        return [f"its source is a {source['kind']}, its builder {builder}, and {its} that it was imported"]
    weighed = not whose and weighs(builder)
    if weighed and (lacking := unstated(certificate)):
        return lacking
    problems = [
        f"it is of {source[name] or 'nobody'} by its record and of {whose.get(name) or 'nobody'} by its certificate"
        for name in ("name", "version", "licence")
        if whose and source.get(name) != whose.get(name)
    ]
    proved: dict[str, Any] = {
        "languages": ["python"] if whose else sorted(certificate["languages"]),
        "branch_coverage": NOT_MEASURED if whose else round(share_of(certificate["coverage"]), DIGITS),
        "mutation_score": NOT_MEASURED if whose else round(_score(certificate["mutation"]), DIGITS),
    }
    said = {**task, "languages": sorted(task["languages"])}
    problems += [
        f"{name.replace('_', ' ')} is {real!r} by the certificate, the record says {said[name]!r}"
        for name, real in proved.items()
        if said[name] != real
    ]
    return [*problems, *contradicted(certificate)] if weighed else problems


def _score(said: Mapping[str, Any]) -> float:
    # A certificate before version 3 counted otherwise; those that weigh are known to list what is proved.
    return score_of(said) if "proved" in said else float(said["score"])
