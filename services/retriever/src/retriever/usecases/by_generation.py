"""One generation for each question, from its first step to its last page."""

from __future__ import annotations

from collections.abc import Callable

from retriever.domain.paging import generation_of
from retriever.errors import BadRequestError
from retriever.usecases.generations import Generations
from retriever.usecases.question import SearchQuestion
from retriever.usecases.search import Search


class SearchByGeneration:
    """Gives the search that answers a question.

    It is bound to the generation that answers when the question comes, so that one which takes over meanwhile, or
    between two pages, mixes nothing.

    Args:
        search_by: Makes the search that answers by a generation of this name; by the one that answers where it is
            empty.
        generations: Which one that is.
    """

    def __init__(self, search_by: Callable[[str], Search], generations: Generations) -> None:
        self._search_by = search_by
        self._generations = generations

    async def __call__(self, question: SearchQuestion) -> Search:
        """The search.

        Raises:
            BadRequestError: the cursor is none, or the generation of its page is gone.
        """
        name = question.generation
        if not name and question.cursor:
            name = generation_of(question.cursor)
            if name and not await self._generations.holds(name):
                raise BadRequestError(
                    "the generation that gave the page before is gone", thing="cursor", way_out="begin without it"
                )
        if not name:
            active = await self._generations.active()
            name = active.name if active else ""
        return self._search_by(name)
