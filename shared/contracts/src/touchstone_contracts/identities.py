"""Identities that several services give to the same thing: queries, codes that nobody ingested, and pairs."""

from __future__ import annotations

from touchstone_contracts.envelope import content_id


def query_words(text: str) -> str:
    """A query as it is kept: white space makes no difference."""
    return " ".join(text.split())


def query_id(text: str) -> str:
    """Id of a query by its words.

    Example:
        >>> query_id("sum  a list\\n") == query_id("sum a list")
        True
    """
    return content_id("query", query_words(text))


# All that two texts of one code may differ in.
CODE_SPACE = " \t\r\n"


def code_words(code: str) -> str:
    """A code as it is compared: ends of lines, blanks at them, empty lines around it and its margin make no difference.

    A file ends with a line's end and a function inside of it does not, an editor on another system ends lines
    otherwise, and a method is copied with or without the margin that its class gives it.

    Example:
        >>> code_words("    def f(x):  \\r\\n        return x\\r\\n")
        'def f(x):\\n    return x'
    """
    lines = [line.rstrip(" \t") for line in code.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    blanks = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line]
    margin = min(blanks, key=len, default="")
    while not all(each.startswith(margin) for each in blanks):
        margin = margin[:-1]
    return "\n".join(line[len(margin) :] for line in lines).strip("\n")


def code_id(code: str, language: str) -> str:
    """Id of a code that stands in no ingested source; those that do have a function's id."""
    return content_id("code", language, code_words(code))


def code_ids(code: str, language: str) -> frozenset[str]:
    """Ids under which such a code may be known: its own, and those of its text to the letter, as it was given before.

    A text of before ended with its last word, or with a line's end as files do.
    """
    words = code_words(code)
    return frozenset(content_id("code", language, each) for each in (words, code, f"{words}\n"))


def pair_id(of_query: str, of_code: str) -> str:
    """Id of a query and a code, by their ids: proposed, asked for on demand, imported or reviewed, it is one pair."""
    return content_id("pair", of_query, of_code)
