"""The choice between exact, plain and augmented search, pages, and merged views."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from retriever.domain.code import CLASS_FORMS, Hit, IndexedCode, Listed
from retriever.domain.ensemble import DEPTH, TEXT, Ranked, used_parts
from retriever.domain.paging import by_words_alone, left_out_before, page_of
from retriever.errors import (
    AgentAwayError,
    AgentError,
    EmbedderUnavailableError,
    ModelsGoneError,
    ModelsLoadingError,
)
from retriever.ports import CodeIndex, LagProbe
from retriever.usecases.answer import (
    ANSWER,
    MOST_DUPLICATES,
    PLAIN,
    SearchAnswer,
    SearchPiece,
    SearchResult,
    by_twin,
    compared,
    note_on_nothing,
    of_streams,
    with_piece,
)
from retriever.usecases.augmented import (
    AugmentedSearch,
    Piece,
    StepUse,
    Tell,
    tell_nobody,
)
from retriever.usecases.counting import CountedCodes, LackingCodes
from retriever.usecases.left_out import (
    Candidates,
    joined,
    left_out_of,
    note_on_less,
    note_on_models,
    page_of_others,
)
from retriever.usecases.plain import PlainSearch, indexed
from retriever.usecases.proposals import MOST_LOOKED_AT
from retriever.usecases.question import SearchQuestion, checked
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.telemetry import get_logger

# Exact questions list so many codes at most.
MOST_LISTED = 10_000
# Of the caller's time; the rest is for the plain search that answers instead.
_SHARE_OF_MODEL = 0.8
# The embedder is waited for this long, in seconds, or for this share of the caller's time: then words answer. Beside a
# language model it has a share of what the model leaves.
EMBEDDING_S = 20.0
_SHARE_OF_EMBEDDER, _SHARE_BESIDE_MODEL = 0.5, 0.05
# Other places of a code that has none.
_ALONE: tuple[tuple[IndexedCode, ...], int] = ((), 0)
_log = get_logger()


class Search:
    """Answers searches in all modes.

    Args:
        index: Where codes are.
        plain: The plain search.
        augmented: The augmented search.
        lag: Knows how far the index is behind.
        patience_s: Longest wait for the augmented search, in seconds; the plain one answers after it.
        report: Told when an augmented search was asked and something else was done, and why.
    """

    def __init__(
        self,
        index: CodeIndex,
        plain: PlainSearch,
        augmented: AugmentedSearch,
        lag: LagProbe,
        *,
        patience_s: float = 180.0,
        report: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self._index = index
        self._plain = plain
        self._augmented = augmented
        self._lag = lag
        self._patience_s = patience_s
        self._report = report
        self._counted = CountedCodes(index)
        self._lacking = LackingCodes(index)

    async def __call__(self, question: SearchQuestion) -> SearchAnswer:
        """Search.

        Raises:
            BadRequestError: the question cannot be answered.
            EmbedderUnavailableError: nobody can embed the question, and models are asked for by name or ranked the page
                before; words answer in all other cases.
            IndexUnavailableError: the index does not answer.
        """
        question = checked(question)
        started = time.monotonic()
        answer = await self._answer(question, partial(self._answer_plainly, question))
        return await self._counted_in(answer, question, started)

    async def pieces(self, question: SearchQuestion) -> AsyncGenerator[SearchPiece]:
        """The same, told as it comes: where a model is asked, the plain answer first.

        The last piece has the answer that a call gives. Who closes the generator stops what goes on, at the model too.

        Raises:
            TouchstoneError: as a call does.
        """
        question = checked(question)
        started = time.monotonic()
        if question.exact or question.mode == PLAIN or question.cursor:
            answer = await self._answer(question, partial(self._answer_plainly, question))
            yield SearchPiece(ANSWER, await self._counted_in(answer, question, started))
            return
        steps = question.steps_taken
        plain = asyncio.create_task(self._answer_plainly(question, ""))
        told: asyncio.Queue[Piece | None] = asyncio.Queue()

        async def plainly(note: str) -> SearchAnswer:
            answer = await plain
            return replace(answer, note=joined(note, answer.note))

        async def whole() -> SearchAnswer:
            try:
                return await self._answer(question, plainly, told.put_nowait)
            finally:
                told.put_nowait(None)

        answering = asyncio.create_task(whole())
        try:
            so_far = SearchPiece(PLAIN, SearchAnswer((), 0, -1, 0.0, "augmented"), steps=steps)
            # A fault of the plain search is one of the whole only where that comes down to it.
            with contextlib.suppress(TouchstoneError):
                # Pages are those of the whole answer.
                first = await self._counted_in(replace(await plain, next_cursor=""), question, started)
                so_far = SearchPiece(PLAIN, first, steps=steps)
            yield so_far
            while (piece := await told.get()) is not None:
                generation = await self._plain.generation()
                so_far = with_piece(so_far, piece, question, generation, time.monotonic() - started)
                yield so_far
            answer = await self._counted_in(await answering, question, started)
            yield SearchPiece(ANSWER, answer, so_far.look_ups)
        finally:
            plain.cancel()
            answering.cancel()
            await asyncio.gather(plain, answering, return_exceptions=True)

    async def _counted_in(self, answer: SearchAnswer, question: SearchQuestion, started: float) -> SearchAnswer:
        """With how much there is, how long it took, and why nothing was found."""
        indexed = await self._counted()
        return replace(
            answer,
            indexed=indexed,
            functions_behind=await self._behind(answer),
            elapsed_s=time.monotonic() - started,
            note=joined(answer.note, note_on_nothing(question, answer, indexed)),
            index_digest=await self._digest() if question.with_digest else "",
        )

    async def _digest(self) -> str:
        """Names what is indexed; of vectors those of the answer's generation count."""
        generation = await self._plain.generation()
        return await self._index.digest({space.key for space in generation.spaces} if generation else ())

    async def _behind(self, answer: SearchAnswer) -> int:
        """Functions that are not found yet: those that the answer's models cannot find are among them."""
        behind = self._lag.functions_behind
        generation = await self._plain.generation()
        if behind < 0 or generation is None or answer.mode == "exact" or answer.parts == (TEXT,):
            return behind
        counting = {space.key for space in generation.spaces if generation.weights.of(space.model)}
        return behind + await self._lacking(counting)

    async def code(self, function_id: str) -> Hit:
        """One code by its id.

        Raises:
            BadRequestError: it is not indexed.
        """
        return await indexed(self._index, function_id)

    async def _answer(
        self, question: SearchQuestion, plainly: Callable[[str], Awaitable[SearchAnswer]], tell: Tell = tell_nobody
    ) -> SearchAnswer:
        if question.exact:
            return await self._list(question)
        if question.mode == PLAIN:
            return await plainly("")
        if question.cursor:
            # Only the plain search gives cursors: where it answered in the model's place once, its pages go on.
            answer = await plainly("")
            return replace(answer, note=joined("as on the page before, this is the plain search", answer.note))
        # The caller has a deadline; what the model still answers is cached for the next time.
        patience_s = min(self._patience_s, question.within_s * _SHARE_OF_MODEL)
        chosen, steps = replace(question.chosen, forms=question.streams_forms), question.steps_taken
        used: list[StepUse] = []

        async def instead(note: str) -> SearchAnswer:
            """The plain answer, with what the model was asked in vain."""
            answer = await plainly(note)
            return replace(answer, steps=tuple(one for one in used if one.tokens_in or one.tokens_out))

        try:
            embedding_s = min(EMBEDDING_S, question.within_s * _SHARE_BESIDE_MODEL)
            outcome = await self._augmented(
                question.query,
                chosen,
                steps,
                patience_s,
                tell,
                embedding_s,
                used,
                merge=question.merge_duplicates,
            )
        except TimeoutError:
            reason = f"the model did not answer within {patience_s:.3g} s"
            self._report(reason)
            return await instead(f"{reason}, so this is the plain search; ask again later")
        except AgentError as error:
            reason = str(error)
            self._report(reason)
            lead = "augmented search is not available" if isinstance(error, AgentAwayError) else "the model failed"
            return await instead(f"{lead}, so this is the plain search: {reason}")
        except EmbedderUnavailableError as error:
            self._report(str(error))
            return await instead("nothing could be compared as a model said, so this is the plain search")
        if outcome.note:
            self._report(outcome.note)
        answer = SearchAnswer(
            of_streams(outcome.found, question), 0, -1, 0.0, "augmented", outcome.augmented_query, outcome.note,
            steps=outcome.used,
        )  # fmt: skip
        return compared(answer, await self._plain.generation(), outcome.compared)

    async def _answer_plainly(self, question: SearchQuestion, note: str) -> SearchAnswer:
        # Of who was asked for an augmented search before, the time is nearly over.
        share = _SHARE_BESIDE_MODEL if note else _SHARE_OF_EMBEDDER
        before = left_out_before(question.cursor) if question.cursor else ()
        candidates, twins = await self._merged(question, min(EMBEDDING_S, question.within_s * share), before)
        generation, pool, without = await self._plain.generation(), candidates.ranked, candidates.words_alone
        left_out = left_out_of(question, generation, candidates)
        if question.cursor and set(left_out) - set(before) and not without:
            raise page_of_others(" and ".join(left_out))
        # Who ranked by words alone says so even where they found nothing.
        used = (TEXT,) if without else used_parts(pool)
        if question.merge_duplicates:
            first = {together[0].function_id for together in twins.values()}
            pool = [one for one in pool if one.function_id in first]
        name = generation.name if generation else ""
        page, cursor = page_of(
            pool,
            _rank,
            question.digest,
            question.cursor,
            question.limit,
            generation=name,
            words_alone=bool(without),
            without=left_out,
        )
        hits = await self._index.codes([one.function_id for one in page])
        # What left the index between the two looks is not shown.
        found = [(one, hits[one.function_id]) for one in page if one.function_id in hits]
        shown = [(one, Hit(hit.code, one.score, hit.superseded)) for one, hit in found]
        others = await self._others([hit for _one, hit in shown], twins) if twins else {}
        results = tuple(
            # Whose copies were not asked for needs no digest of its code.
            SearchResult(hit, _stream(hit), one.parts, *(others.get(hit.code.twin, _ALONE) if others else _ALONE))
            for one, hit in shown
        )
        note = joined(note, without or note_on_models(question, left_out, candidates.loading, before))
        return SearchAnswer(
            results, 0, -1, 0.0, "plain",
            note=note, next_cursor=cursor, parts=used, generation=name, left_out=left_out,
        )  # fmt: skip

    async def _merged(
        self, question: SearchQuestion, embedding_s: float, before: Sequence[str]
    ) -> tuple[Candidates, dict[str, list[Listed]]]:
        """Candidates, and by twin where copies are to be one: then so many that copies do not crowd out all else."""
        depth, without = DEPTH, ""
        while True:
            candidates = await self._pool(question, embedding_s, before, depth, without)
            if not question.merge_duplicates:
                return candidates, {}
            listed = await self._index.listed([one.function_id for one in candidates.ranked])
            twins = by_twin(listed[one.function_id] for one in candidates.ranked if one.function_id in listed)
            # What a code is to be like is no candidate.
            all_there = len(candidates.ranked) < depth - bool(question.like_function_id)
            if 2 * len(twins) >= DEPTH or all_there or depth >= MOST_LOOKED_AT:
                return candidates, twins
            # Who waited for models in vain does not wait once more.
            depth, without = min(depth * 4, MOST_LOOKED_AT), candidates.words_alone

    async def _pool(
        self, question: SearchQuestion, embedding_s: float, before: Sequence[str], depth: int, without: str
    ) -> Candidates:
        chosen, parts = question.chosen, question.parts
        if question.like_function_id:
            return Candidates(await self._plain.like(question.like_function_id, chosen, parts, before, depth))
        if _after_words_alone(question):
            without = "as on the page before, words alone were compared"
        if not without:
            role = "code" if question.query_is_code else "query"
            try:
                return Candidates(
                    await self._plain(
                        question.query,
                        chosen,
                        parts=parts,
                        role=role,
                        within_s=embedding_s,
                        without=before,
                        depth=depth,
                    )
                )
            except EmbedderUnavailableError as error:
                if parts:
                    raise
                if question.cursor:
                    raise page_of_others("models", error) from error
                if isinstance(error, ModelsLoadingError) and error.ready[0]:
                    ranked = await self._plain.ranked(error.ready[0], question.query, chosen, depth=depth)
                    return Candidates(ranked, loading=error.loading)
                without = f"models cannot be asked now, so words alone were compared; ask again later: {error}"
                if isinstance(error, ModelsGoneError) and (generation := await self._plain.generation()):
                    without = note_on_less("ranked", generation.lacking(()), ())
                _log.warning("search_by_words_alone", error=str(error))
        return Candidates(await self._plain(question.query, chosen, parts=(TEXT,), depth=depth), without)

    async def _list(self, question: SearchQuestion) -> SearchAnswer:
        listed = await self._index.select(question.chosen, MOST_LISTED + 1)
        note = f"more than {MOST_LISTED:,} codes match; these are among the first" if len(listed) > MOST_LISTED else ""
        listed = listed[:MOST_LISTED]
        twins = by_twin(listed) if question.merge_duplicates else {}
        if question.merge_duplicates:
            listed = [together[0] for together in twins.values()]
        page, cursor = page_of(listed, lambda one: one.place, question.digest, question.cursor, question.limit)
        codes = await self._index.codes([one.function_id for one in page])
        shown = [codes[one.function_id] for one in page if one.function_id in codes]
        others = await self._others(shown, twins)
        results = tuple(SearchResult(hit, (), (), *others.get(hit.code.twin, _ALONE)) for hit in shown)
        return SearchAnswer(results, 0, -1, 0.0, "exact", note=note, next_cursor=cursor)

    async def _others(
        self, shown: Sequence[Hit], twins: dict[str, list[Listed]]
    ) -> dict[str, tuple[tuple[IndexedCode, ...], int]]:
        """By twin the other places of what is shown, by place, and how many more there are."""
        wanted = {
            hit.code.twin: [
                twin.function_id
                for twin in sorted(twins[hit.code.twin], key=lambda twin: twin.place)
                if twin.function_id != hit.code.function_id
            ][:MOST_DUPLICATES]
            for hit in shown
            if hit.code.twin in twins
        }
        codes = await self._index.codes([function_id for ids in wanted.values() for function_id in ids])
        return {
            twin: (
                tuple(codes[function_id].code for function_id in ids if function_id in codes),
                len(twins[twin]) - 1 - len(ids),
            )
            for twin, ids in wanted.items()
        }


def _after_words_alone(question: SearchQuestion) -> bool:
    return bool(question.cursor) and by_words_alone(question.cursor)


def _rank(one: Ranked) -> tuple[float, str]:
    return (-one.score, one.function_id)


def _stream(hit: Hit) -> tuple[str, ...]:
    return ("class",) if hit.code.form in CLASS_FORMS else ("query",)
