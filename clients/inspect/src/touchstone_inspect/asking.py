"""What a model is asked, word for word as the evaluator's strategy `direct` asks it."""

from __future__ import annotations

from touchstone_inspect.exported import ExportedTask
from touchstone_runtime.extraction import Extraction, answer_of, extract, with_prelude
from touchstone_runtime.llm.prompts import load_prompt

# What prompts call the languages.
LANGUAGES = {"python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "java": "Java", "go": "Go"}
_PROMPT = "solve_v1"


def question(task: ExportedTask, language: str) -> tuple[str, str]:
    """The words of the system and those of the user."""
    imports = ""
    if language == "python" and task.prelude.strip():
        imports = f"These imports are in place already:\n```\n{task.prelude.strip()}\n```\n"
    system, user = load_prompt("touchstone_inspect", _PROMPT).messages(
        language=LANGUAGES[language],
        entry_point=task.entry_point,
        signature=task.signatures.get(language) or task.entry_point,
        instruction=task.instruction.strip(),
        imports=imports,
    )
    return system.content, user.content


def fits(task: ExportedTask, language: str) -> bool:
    """Whether a task can be asked for in a language and judged in it."""
    return language in task.languages and (language == "python" or task.kind == "SC")


def program_of(answer: str, task: ExportedTask, language: str) -> tuple[Extraction, str]:
    """What was found in an answer, and the whole program to judge; it is empty where there is nothing to run."""
    found = extract(answer_of(answer, task.entry_point, language), task.entry_point, language)
    if not found.runnable:
        return found, ""
    return found, with_prelude(task.prelude, found.code) if language == "python" else found.code
