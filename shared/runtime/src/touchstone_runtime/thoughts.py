"""What a model thought aloud before it answers, told apart from its answer."""

from __future__ import annotations

import re

# How models and their chat templates mark what they think aloud before they answer: what opens it and what closes it,
# in capitals or not. Servers that were not told which model they have hand the marks on.
_NAMES = ("think", "seed:think", "mm:think")
# Marks that are words too: sentences speak of them.
_SPOKEN_OF = ("thinking", "thought", "thoughts", "reasoning")
_TURN = r"(?:<\|end\|>\s*)?(?:<\|start\|>assistant)?"
_MARKS = (
    *((f"<{name}>", f"</{name}>") for name in (*_SPOKEN_OF, *_NAMES)),
    (r"(?-i:\[THINK\])", r"(?-i:\[/THINK\])"),
    ("◁think▷", "◁/think▷"),
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>(?:\s{0,9}<\|START_RESPONSE\|>)?"),
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>(?:\s{0,9}<\|begin_of_solution\|>)?"),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    (r"<\|channel>thought\b", r"<channel\|>"),
    (
        rf"{_TURN}<\|channel\|>(?:analysis|commentary)\b[^<\n]*<\|message\|>",
        rf"{_TURN}<\|channel\|>final\b[^<\n]*(?:<\|constrain\|>\w*)?<\|message\|>",
    ),
)
# Words tell only together, and where an answer begins.
_WORDS = (
    (r"\A\s*analysis(?=.*?assistantfinal)", "assistantfinal"),
    (r"\A\s*Here(?:'s| is) my thought process:(?=.*?Here(?:'s| is) my response:)", r"Here(?:'s| is) my response:"),
)
# Nobody sees these, and they may stand before a mark.
_UNSEEN = "\u200b\u2060\ufeff"
_BLANKS = f" \t\r\n{_UNSEEN}"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def _unquoted(mark: str) -> str:
    """A mark between quotes is spoken of; fences are none."""
    return rf"(?:(?:(?<![`'\"])|(?<=```))(?:{mark})|(?:{mark})(?:(?![`'\"])|(?=```)))"


# Which of the pairs it is, tells the group that matched.
_OPENED = _compiled(rf"(?<![^\s{_UNSEEN}])(?:{'|'.join(f'({opening})' for opening, _ in (*_MARKS, *_WORDS))})")
_CLOSED = tuple(_compiled(_unquoted(closing)) for _, closing in (*_MARKS, *_WORDS))
# Alone, what may be spoken of ends a thought only where it ends its line.
_ENDING = (
    *(rf"</{name}>(?=[^\S\n]*(?:\n|\Z))" for name in _SPOKEN_OF),
    *(closing for _, closing in _MARKS[len(_SPOKEN_OF) :]),
)
_ALONE = _compiled("|".join(f"({_unquoted(closing)})" for closing in _ENDING))
_OPENINGS = tuple(_compiled(opening) for opening, _ in _MARKS)
_MARK = _compiled("|".join(mark for pair in _MARKS for mark in pair))
# What chat templates end an answer with.
_END = _compiled(r"(?:(?:<[|｜][\w▁]{1,40}[|｜]>|</s>|<eos>|<end_of_turn>|<turn\|>)\s{0,9}){1,9}\Z")
# What stands between a thought and the answer; the margin of the answer's first line does not.
_GAP = re.compile(r"(?:[^\S\n]*\n)+| |")
_FENCE = re.compile(r"^[ \t]*(?:`{3}|~{3})", re.MULTILINE)


def spoken(text: str) -> str:
    """What a model answered, without what it may have thought aloud before.

    Some endpoints leave the opening mark to the prompt, so that an answer begins within the thought; some models say a
    word before they think. What a mark in a text of the answer means, is told by who knows what was asked for.

    Example:
        >>> spoken("a draft</think> the answer"), spoken("Sure.\\n<think>a draft</think>\\nThe answer")
        ('the answer', 'Sure.\\nThe answer')
    """
    return thought_apart(text, doubtful=True)[1]


def has_mark(text: str) -> bool:
    """Whether a mark of thoughts stands in a text."""
    return _MARK.search(text) is not None


def unmarked(text: str) -> str:
    """A text with brackets for marks of thoughts: between the words of a program they would leave none."""
    return _MARK.sub(")", text)


def thought_apart(text: str, *, doubtful: bool = False) -> tuple[str, str]:
    """What a model thought aloud before all else, and what it said then, late or not at all.

    What a chat template ends an answer with is in neither.

    Args:
        text: All that it said.
        doubtful: Whether a thought without an opening mark is one, and one behind words that open no block.

    Example:
        >>> thought_apart("<think>a draft</think> the answer")
        ('<think>a draft', 'the answer')
        >>> thought_apart("a draft</think> the answer")
        ('', 'a draft</think> the answer')
    """
    thought, kept, text = "", "", _END.sub("", text)
    if doubtful and not _OPENED.match(text.lstrip(_BLANKS)):
        closed = _ALONE.search(text)
        if closed and not _OPENINGS[(closed.lastindex or 1) - 1].search(text, 0, closed.start()):
            thought, text = text[: closed.start()], _behind(text, closed)
    while opened := _OPENED.search(text):
        before = text[: opened.start()]
        first = not before.strip(_BLANKS)
        number = (opened.lastindex or 1) - 1
        closed = _CLOSED[number].search(text, opened.end())
        if not first and (not doubtful or _FENCE.search(before)):
            break
        is_spoken_of = not first and number < len(_SPOKEN_OF)
        if closed is None and (is_spoken_of or before.rpartition("\n")[2].strip(_BLANKS)):
            break
        thought += text[opened.start() : closed.start() if closed else len(text)]
        kept += "" if first else before
        text = _behind(text, closed) if closed else ""
    return thought, kept + text


def _behind(text: str, closed: re.Match[str]) -> str:
    gap = _GAP.match(text, closed.end())
    return text[gap.end() if gap else closed.end() :]
