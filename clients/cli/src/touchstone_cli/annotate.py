"""`touchstone annotate`: does this code answer this query?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli import choices, output, services
from touchstone_cli.choices import one_of
from touchstone_cli.errors import CliError

LANGUAGES = {
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".java": "java",
    ".go": "go",
    ".php": "php",
}


def annotate(
    query: Annotated[str, typer.Option("--query", "-q", help="What somebody searched for.")],
    code: Annotated[Path, typer.Option("--code", "-c", help="File with the code.")],
    language: Annotated[str, typer.Option("--language", "-l", help="Told from the file's name when left out.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    timeout_s: Annotated[float, typer.Option("--timeout", min=0, help="Seconds to wait for the judgement.")] = 600.0,
) -> None:
    """Judge whether code answers a query, by agents that write and run tests.

    Example: touchstone annotate --query "reverse a string" --code reverse.py
    """
    language = one_of(language, choices.LANGUAGES, "--language")
    text = _read(code)
    spoken = language or LANGUAGES.get(code.suffix.lower(), "")
    if not spoken:
        named = code.suffix or "a file without suffix"
        raise CliError(f"{code}: no language is known for {named}; name one with --language", exit_code=2)
    service = services.connect("annotator")
    request = service.messages.AnnotateRequest(query=query, code=text, language=spoken)
    with output.waiting("agents read the code, write tests and run them"):
        pair = output.to_dict(service.call("Annotate", request, timeout_s=timeout_s).pair)
    service.close()
    if as_json:
        output.print_json(pair)
    else:
        show_pair(pair)


def answers(outcome: str, label: int) -> str:
    """Whether the code of a pair answers its query: yes, no, or undecided, as whatever is neither of the two.

    Args:
        outcome: As the pair has it; a service of before says no more than its label.
        label: 1, 0, or -1 where it is undecided.

    Example:
        >>> [answers("undecided", -1), answers("", -1), answers("", 0), answers("of a later version", 1)]
        ['undecided', 'undecided', 'no', 'undecided']
    """
    said = outcome or {1: "yes", 0: "no"}.get(label, "")
    return said if said in ("yes", "no") else "undecided"


def show_pair(pair: dict[str, Any]) -> None:
    """Label, reason and steps of a judged pair."""
    decided = {"yes": "The code answers the query", "no": "The code does not answer the query"}
    verdict = decided.get(answers(pair["outcome"], pair["label"]), "Undecided")
    output.console().print(f"{verdict}: {pair['reason']}", markup=False)
    rows = [
        (
            step["name"],
            step["outcome"],
            step["detail"].partition("\n")[0][:200],
            step["tokens_in"] + step["tokens_out"],
            f"{step['elapsed_s']:.1f}",
        )
        for step in pair["steps"]
    ]
    output.print_table(["step", "outcome", "detail", "tokens", "seconds"], rows, right=("tokens", "seconds"))
    for number, step in enumerate(pair["steps"], 1):
        if step["content"]:
            output.console().print(f"\n{number}. {step['name']}: {step['outcome']}\n{step['content']}", markup=False)
    if pair["self_reported"]:
        output.say("Code and test shared a process: what the test reports is the program's own word.")


def _read(code: Path) -> str:
    try:
        return code.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise CliError(f"{code}: is no UTF-8 text; name a file with source code") from error
    except OSError as error:
        raise CliError(f"{code}: cannot be read ({error.strerror}); name a file with source code") from error
