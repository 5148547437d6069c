"""What question a file of answers says that it answers: in which language, and to which track."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from touchstone_cli.choices import LANGUAGES
from touchstone_runtime.tracks import TRACKS, WRITE

# What else the languages are called, and how files of programs end.
_CALLED = {
    "py": "python", "python3": "python", "js": "javascript", "node": "javascript", "ts": "typescript", "golang": "go",
}  # fmt: skip
# Tasks of Inspect that are ours: those of our own logs, and the one that asks for the tasks of a release.
_OURS = "touchstone/"
_RELEASE = "touchstone_inspect/release"


class Asked(NamedTuple):
    """A language and a track; empty where nobody says."""

    language: str
    track: str

    def otherwise(self, said: Asked) -> str:
        """Why answers to what is said are none to what is asked for here, with the way out; empty where they are."""
        if said.language and said.language != self.language:
            known = said.language in LANGUAGES
            way_out = f"add --language {said.language}" if known else f"one of {', '.join(LANGUAGES)} can be judged"
            return f"an answer in {said.language[:40]}, and {self.language} is asked for: {way_out}"
        if said.track and said.track != self.track:
            return f"an answer to the track {said.track}, and {self.track} is asked for: add --track {said.track}"
        return ""


def asked_in_row(row: Mapping[str, Any]) -> Asked:
    """What a line or an object says by `language` and `track`."""
    language, track = row.get("language"), row.get("track")
    return Asked(_language(language) if isinstance(language, str) else "", track if track in TRACKS else "")


def asked_in_log(spec: Any, sample: Mapping[str, Any]) -> dict[str, str]:
    """What a log of Inspect says of a sample, as a row has it; a log of others may mean something else by the names.

    Args:
        spec: The log's `eval`.
        sample: One of its samples.
    """
    about: Mapping[str, Any] = spec if isinstance(spec, dict) else {}
    said = [each.get("language") for each in (sample.get("metadata"), about.get("task_args")) if isinstance(each, dict)]
    languages = [language for each in said if isinstance(each, str) and (language := _language(each)) in LANGUAGES]
    task = str(about.get("task"))
    track = WRITE if task == _RELEASE else task.removeprefix(_OURS) if task.startswith(_OURS) else ""
    return {"language": next(iter(languages), ""), "track": track}


def asked_by_ending(ending: str) -> Asked:
    """What the ending of a file says of the program in it."""
    language = _language(ending.removeprefix("."))
    return Asked(language if language in LANGUAGES else "", "")


def _language(name: str) -> str:
    plain = name.strip().lower()
    return _CALLED.get(plain, plain)
