"""What people say of pairs, and what it comes to."""

from __future__ import annotations

from typing import Protocol

from annotator.domain.record import Label
from annotator.domain.review import Review
from annotator.ports import StoredLabel


class Reviews(Protocol):
    """People's opinions; none is ever changed."""

    async def next_pair(self, reviewer: str) -> StoredLabel | None:
        """The first pair of the queue on which this reviewer has said nothing, fewer than two have, and nobody decided.

        The queue: begun by another reviewer, disputed by the second agent, undecided, by the distance of the score from
        the middle, and the others by their ids. Judgements on demand and people's labels are not in it.
        """
        ...

    async def next_dispute(self, reviewer: str) -> str:
        """Id of a pair on which two others differ and nobody has decided; empty where there is none."""
        ...

    async def of_pair(self, pair_id: str) -> list[Review]:
        """The opinions on a pair, by reviewer."""
        ...

    async def add(self, review: Review) -> list[Review]:
        """Keep an opinion unless its reviewer has given one or two others have; gives all that are kept."""
        ...

    async def adjudicate(self, review: Review) -> Review:
        """Keep a decision between two opinions; the first one stands and is given."""
        ...

    async def unsettled(self) -> list[str]:
        """Ids of pairs that two equal opinions or a decision settled, and that have no label of a review."""
        ...

    async def decision(self, pair_id: str) -> Review | None:
        """The decision between two opinions on a pair; None where nobody has decided."""
        ...

    async def figures(self) -> tuple[dict[tuple[str, str], int], dict[tuple[Label, Label], int], int]:
        """How many pairs have which two opinions; people's label with the newest method's; how many reviews decided."""
        ...
