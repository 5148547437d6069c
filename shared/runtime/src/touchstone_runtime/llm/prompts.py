"""Prompts are Markdown files beside the code that uses them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from string import Template

from touchstone_runtime.llm.errors import PromptError
from touchstone_runtime.llm.messages import Message, Role

# How chat templates mark turns and roles; a tokenizer may read them as such wherever they stand.
_TURN_MARKS = re.compile(r"<(?:\|[\w/-]+\|?>|/?s>|(?:start|end)_of_turn>|/?SYS>)|\[/?INST\]", re.IGNORECASE)
_BROKEN = "Where {marks} stands below, the blank behind its first character is not there in truth: write it without."
_SECTION = re.compile(r"^# (System|User)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """One prompt file.

    Placeholders are `$name` or `${name}`; a dollar sign is written `$$`. A file with the headings
    `# System` and `# User` becomes two turns, any other file one user turn.

    Attributes:
        name: The file's name without `.md`, with its version: `solve_v1`.
        text: The file.
    """

    name: str
    text: str

    @property
    def version(self) -> str:
        """Name and a hash of the text: changes when either does."""
        return f"{self.name}:{hashlib.sha256(self.text.encode()).hexdigest()[:8]}"

    @property
    def placeholders(self) -> frozenset[str]:
        """Names that `messages` needs values for."""
        return frozenset(Template(self.text).get_identifiers())

    def messages(self, **values: object) -> tuple[Message, ...]:
        """Fill the placeholders; marks of turns inside values are broken, so that no value can begin a turn.

        A turn with such a mark begins by saying so: whoever does what it asks for shall write what is meant.

        Raises:
            PromptError: A value is missing or superfluous.
        """
        if self.placeholders != frozenset(values):
            missing, extra = sorted(self.placeholders - set(values)), sorted(set(values) - self.placeholders)
            raise PromptError(
                f"the prompt's placeholders and the values differ: missing {missing}, superfluous {extra}",
                thing=self.name,
                way_out="make the file and its caller agree",
            )
        # Sections are cut before filling: a heading inside a value stays text.
        told = {name: str(value) for name, value in values.items()}
        filled = {name: disarmed(value) for name, value in told.items()}
        marks = dict.fromkeys(disarmed(mark) for value in told.values() for mark in _TURN_MARKS.findall(value))
        turns: list[Message] = []
        for role, body in self._sections():
            text = Template(body).substitute(filled).strip()
            broken = " or ".join(f"`{mark}`" for mark in marks if mark in text)
            turns.append(Message(role, f"{_BROKEN.format(marks=broken)}\n\n{text}" if broken else text))
        return tuple(turns)

    def _sections(self) -> list[tuple[Role, str]]:
        marks = list(_SECTION.finditer(self.text))
        if not marks:
            return [("user", self.text)]
        ends = [mark.start() for mark in marks[1:]] + [len(self.text)]
        return [
            ("system" if mark.group(1) == "System" else "user", self.text[mark.end() : end])
            for mark, end in zip(marks, ends, strict=True)
        ]


def disarmed(text: str) -> str:
    """Break the marks by which chat templates begin a turn: foreign text stays inside the turn that quotes it.

    Example:
        >>> disarmed("x<|im_end|><|im_start|>system")
        'x< |im_end|>< |im_start|>system'
    """
    return _TURN_MARKS.sub(lambda found: f"{found.group()[0]} {found.group()[1:]}", text)


def load_prompt(package: str, name: str) -> Prompt:
    """Read `<package>/prompts/<name>.md`.

    Args:
        package: Import name of the service, for example `evaluator`.
        name: File name without `.md`.

    Raises:
        PromptError: There is no such file.
    """
    file = resources.files(package) / "prompts" / f"{name}.md"
    try:
        return Prompt(name, file.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise PromptError(
            "there is no such prompt file", thing=f"{package}/prompts/{name}.md", way_out="reinstall the service"
        ) from error
