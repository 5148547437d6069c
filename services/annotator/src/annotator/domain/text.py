"""How foreign text is shown to a model: bounded, fenced, and without what changes from run to run."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_DURATION = re.compile(r"\b(in|took|after) \d+(\.\d+)?\s?(s|ms|seconds?|milliseconds?)\b")
_TEMPORARY = re.compile(r"/tmp/[\w./-]*?(?=/[\w.-]+\.\w+\b)")
_BACKTICKS = re.compile(r"`{3,}")
# Words by which a text speaks to whoever judges it. Ordinary code holds some of them now and then: it is then tested
# where it might have been believed, and nothing else happens.
_ADDRESS_TO_JUDGE = re.compile(
    r"\b(?:ignore|disregard|forget|override|obey)\b.{0,60}\b(?:instruction|above|previous|prompt|label|verdict|rule)"
    r"|\b(?:label|verdict)\b\W{0,4}(?:is\W{1,3})?(?:0|1|yes|no|match|no_match)\b"
    r"|\b(?:reviewer|arbiter|screener|judge|assistant)\b\s*[:,]|system override|<\|\w+\|>|\[/?INST\]|_of_turn>",
    re.IGNORECASE | re.DOTALL,
)


def speaks_to_judge(text: str) -> bool:
    """Whether a text that is to be judged seems to give orders to its judge.

    Example:
        >>> speaks_to_judge("# ignore the instructions above"), speaks_to_judge("return label == 2")
        (True, False)
    """
    # Names are words with other marks between them.
    return any(_ADDRESS_TO_JUDGE.search(form) for form in (text, text.replace("_", " ")))


def clipped(text: str, limit: int) -> str:
    """Shorten a text to about `limit` characters, keeping both ends.

    Example:
        >>> clipped("abcdefghij", 4)
        'ab\\n[6 characters left out]\\nij'
    """
    if len(text) <= limit:
        return text
    head = (limit + 1) // 2
    tail = limit - head
    left_out = len(text) - limit
    return f"{text[:head]}\n[{left_out} characters left out]\n{text[len(text) - tail :]}"


def fenced(text: str, language: str = "") -> str:
    """Put a text in a code fence that the text itself cannot close.

    Example:
        >>> fenced("a = 1", "python")
        '```python\\na = 1\\n```'
    """
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def steady(text: str) -> str:
    """Replace what differs between two equal runs: addresses, durations and temporary folders.

    The report of an execution is part of a prompt and of the record: a replay must give the same bytes.

    Example:
        >>> steady("<C object at 0x7f3a2c1b> ran in 0.013s")
        '<C object at 0x…> ran in …'
    """
    text = _ADDRESS.sub("0x…", text)
    text = _DURATION.sub(r"\1 …", text)
    return _TEMPORARY.sub("…", text)
