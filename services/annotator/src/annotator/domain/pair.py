"""A query and a piece of code whose match is in question."""

from __future__ import annotations

import re
from dataclasses import dataclass

LANGUAGES = ("python", "javascript", "typescript", "java", "go", "php")
# In characters. A longer code is shown to no model as a whole, and the search of its parts by their text takes the
# more than proportionate time; queries as the retriever has them.
LONGEST_CODE = 20_000
LONGEST_QUERY = 2_000


def one_question(one: str, other: str) -> bool:
    """Whether two queries are the same words in the same order, whatever their case and the signs between them.

    Example:
        >>> one_question("Read a string?", "read: a string"), one_question("int to str", "str to int")
        (True, False)
    """
    return re.findall(r"\w+", one.casefold()) == re.findall(r"\w+", other.casefold())


@dataclass(frozen=True, slots=True)
class Pair:
    """What is to be labelled.

    Attributes:
        code: Source text of the code under test, exactly as it was found.
        language: One of `LANGUAGES`.
        name: Name of the function under test inside `code`; empty when nobody said.
        imports: Import statements that the code is known to need.
        file_imports: Import statements of the file that it comes from; the code may need some of them.
        licence: SPDX; empty where the source states none.
        similarity: Mean cosine similarity of query and code over the embedding models; None where nobody told.
        on_demand: True where a caller asked for the judgement; such a pair belongs to no index.
        joined: True where a caller asked for a pair of a pool: it is put together from what is stored, and what only a
            proposal tells is missing, its cosine above all.
    """

    pair_id: str
    query_id: str
    query: str
    function_id: str
    code: str
    language: str = "python"
    name: str = ""
    imports: tuple[str, ...] = ()
    file_imports: tuple[str, ...] = ()
    repository: str = ""
    version: str = ""
    path: str = ""
    qualname: str = ""
    on_demand: bool = False
    similarity: float | None = None
    licence: str = ""
    joined: bool = False
