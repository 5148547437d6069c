"""What is said of a repository of which nothing was found."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from touchstone_cli.errors import CliError
from touchstone_cli.output import counted, say
from touchstone_cli.services import Caller, connect

_MOST_NAMES = 3


def hints(names: Iterable[str], retriever: Caller) -> list[str]:
    """A line for each name under which nothing can be found yet, whatever is asked for.

    Args:
        names: Repositories as a user named them.
        retriever: Knows what is indexed.
    """
    sources = _sources()
    return [] if sources is None else [line for name in names if (line := _hint(name, sources, retriever))]


def say_if_not_followed(name: str) -> None:
    """Say which sources somebody may have meant by a name that none has."""
    sources = _sources()
    if sources is not None and name not in [source.name for source in sources]:
        say(_not_followed(name, sources))


def _sources() -> list[Any] | None:
    try:
        return list(connect("ingester").call("ListSources").sources)
    except CliError:
        # The question was answered; what would only explain the answer is let be.
        return None


def _not_followed(name: str, sources: Sequence[Any]) -> str:
    others = alike(name, [source.name for source in sources])
    meant = f"; did you mean --repo {' or --repo '.join(others)}?" if others else "; see `touchstone sources list`"
    return f"{name}: no such repository is followed{meant}"


def _hint(name: str, sources: Sequence[Any], retriever: Caller) -> str:
    found = next((source for source in sources if source.name == name), None)
    if _indexed(name, retriever):
        return ""
    if found is None:
        return _not_followed(name, sources)
    if found.state in ("", "waiting"):
        return f"{name}: is being taken in; none of its functions can be found yet"
    if found.state != "ingested":
        return f"{name}: {found.state.replace('_', ' ')}{f', {found.detail}' if found.detail else ''}"
    if not found.functions:
        return f"{name}: was taken in, and no function was found in it"
    waiting = counted(found.functions, "function still waits", "functions still wait")
    return f"{name}: was taken in, but its {waiting} for the index; see `touchstone status`"


def _indexed(name: str, retriever: Caller) -> bool:
    """Whether anything at all of a repository can be found."""
    messages = retriever.messages
    filters = messages.SearchFilters(repositories=[name], symbol="*")
    request = messages.SearchRequest(limit=1, filters=filters, include_classes=True, include_superseded=True)
    return bool(retriever.call("Search", request).results)


def alike(name: str, known: Sequence[str]) -> list[str]:
    """Of the names that are known those that somebody may have meant, the likeliest first.

    Example:
        >>> alike("repo", ["/home/me/repo", "boltons", "https://example.org/repo.git"])
        ['/home/me/repo', 'https://example.org/repo.git']
        >>> alike("bolton", ["/home/me/repo", "boltons"])
        ['boltons']
    """
    path = str(Path(name).expanduser().resolve())
    short = {one: _short(one) for one in known}
    same = [one for one in known if one == path or short[one] == _short(name)]
    close = difflib.get_close_matches(_short(name), sorted(set(short.values())), cutoff=0.75)
    rest = [one for one in known if short[one] in close and one not in same]
    return [*same, *rest][:_MOST_NAMES]


def _short(name: str) -> str:
    """The last part of a path or an address, as people call a repository."""
    return name.rstrip("/").rpartition("/")[2].removesuffix(".git").casefold()
