"""The one way from a service to a language model."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from touchstone_runtime import metrics, tracing
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.errors import StoppingError
from touchstone_runtime.llm.batch_wire import fault_of
from touchstone_runtime.llm.batches import BatchStore, Question
from touchstone_runtime.llm.booking import answer_of, count, entry_of, lost_entry, most_of, today
from touchstone_runtime.llm.bounds import smaller_bound
from touchstone_runtime.llm.cache import BlobLlmCache, LlmCache, from_record, to_record
from touchstone_runtime.llm.catalogue import Catalogue, Endpoint, place_of
from touchstone_runtime.llm.errors import (
    AnswerPendingError,
    AskedInVainError,
    BatchFailedError,
    BudgetSpentError,
    CatalogueError,
    EndpointFailedError,
    EndpointNonsenseError,
)
from touchstone_runtime.llm.ledger import Budget, Ledger, LedgerEntry
from touchstone_runtime.llm.lost import Attempt, LostAnswers
from touchstone_runtime.llm.messages import Answer, ChatRequest, LlmUsage, Message, user
from touchstone_runtime.llm.refusals import own_words
from touchstone_runtime.llm.transport import ChatTransport, OpenAiTransport
from touchstone_runtime.llm.wire import RawAnswer, request_body
from touchstone_runtime.settings import ServiceSettings

# Seconds that a client which is closed waits for books and cache to take what was answered: they may be away.
_KEEPING_S = 5.0


@dataclass
class _InFlight:
    """A question that an endpoint is asked, and how many wait for its answer."""

    task: asyncio.Task[Answer]
    waiting: int = 0
    # Somebody wants it answered for the cache, whoever still waits then.
    wanted: bool = False


@dataclass
class _Paid:
    """An answer that was given and is not yet kept: the ledger or the cache could not be written."""

    answer: Answer
    # What is booked, however often that is tried: the ledger knows it again. Its booking names what is reserved for it.
    entry: LedgerEntry
    booked: bool = False


class LlmClient:
    """Asks models: with a cache, a ledger, a budget, a limit on concurrency, and retries.

    The same request is answered from the cache for ever, so that a replay after a crash is free and
    gives the same bytes. Equal requests in flight share one call.

    Args:
        catalogue: The models by name.
        transport: Asks an endpoint.
        cache: Keeps answers.
        ledger: Keeps accounts.
        budget: Caps on what the ledger may show.
        concurrency: Requests in flight at a time, for each address; one until it has answered once.
        model: Name that an empty `model` stands for; empty means the catalogue's default.
        batches: Where questions wait for their batch; without it every model is asked directly.
        stopping: Whether the process was told to stop. It asks nothing new then: an answer that nobody can await any
            more would be paid for, and asked for again. What is in flight and what the cache has is still given.

    Example:
        ```python
        client = LlmClient.from_settings(settings, ledger=SqlLedger(database.session))
        answer = await client.chat([user("Say hello")], purpose="greeting", max_tokens=16)
        reply = await ask_json(client, "Is 7 prime?", Verdict, purpose="screener", max_tokens=64)
        ```
    """

    def __init__(
        self,
        catalogue: Catalogue,
        transport: ChatTransport,
        cache: LlmCache,
        ledger: Ledger,
        *,
        budget: Budget | None = None,
        concurrency: int = 2,
        model: str = "",
        batches: BatchStore | None = None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self.catalogue = catalogue
        self.ledger = ledger
        self._transport = transport
        self._cache = cache
        self._budget = budget or Budget()
        # One question shows whether an endpoint is there and takes what is asked; it is answered soonest alone.
        self._slots: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(1))
        self._known: set[str] = set()
        self._concurrency = concurrency
        self._model = model
        self._batches = batches
        self._stopping = stopping
        self._in_flight: dict[str, _InFlight] = {}
        self._reserved: dict[str, LlmUsage] = {}
        self._paid: dict[str, _Paid] = {}
        self._lost = LostAnswers(self._book)

    @classmethod
    def from_settings(
        cls,
        settings: ServiceSettings,
        ledger: Ledger,
        *,
        transport: ChatTransport | None = None,
        batches: BatchStore | None = None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> LlmClient:
        """The client as a service's settings describe it, with its cache beside the blobs.

        Args:
            settings: The service's.
            ledger: Its accounts.
            transport: Asks endpoints; None makes one.
            batches: Where questions wait for their batch, in a service that can wait.
            stopping: Whether the process was told to stop.

        Raises:
            CatalogueError: `models.toml` is missing or malformed.
        """
        catalogue = Catalogue.load(settings.models_file, settings.llm_base_url, settings.llm_model)
        for name in catalogue.names:
            # Shown before the first answer: what only comes to be has no rate.
            metrics.LLM_SECONDS.labels(catalogue.resolve(name).identity)
        return cls(
            catalogue,
            transport or OpenAiTransport(api_keys=keys_of(settings), timeout_s=settings.llm_timeout_s),
            BlobLlmCache(BlobStore(settings.blob_url)),
            ledger,
            budget=Budget(usd=settings.llm_budget_usd, tokens=settings.llm_budget_tokens),
            concurrency=settings.llm_concurrency,
            model=settings.llm_model,
            batches=batches,
            stopping=stopping,
        )

    def endpoint(self, model: str = "") -> Endpoint:
        """The endpoint of a name; empty is this client's own model.

        Raises:
            UnknownModelError: Nobody knows the name.
        """
        return self.catalogue.resolve(model or self._model)

    async def chat(
        self,
        messages: str | Sequence[Message],
        *,
        purpose: str,
        max_tokens: int,
        model: str = "",
        temperature: float = 0.0,
        seed: int = 0,
        json_schema: dict[str, Any] | None = None,
        stop: Sequence[str] = (),
        top_logprobs: int = 0,
        anew: int = 0,
        on_taken: Callable[[LlmUsage], object] | None = None,
        on_again: Callable[[], Awaitable[object]] | None = None,
        only_while_awaited: bool = False,
    ) -> Answer:
        """Ask a question.

        Args:
            messages: The conversation; a text is one user turn.
            purpose: What the answer is for; accounts are kept by it. A short constant.
            max_tokens: Upper bound of the answer's length; what a model may spend on thinking comes on top.
            model: A catalogue name or `name@base_url`; empty is this client's own model.
            temperature: 0 asks for the likeliest answer.
            seed: For endpoints that sample.
            json_schema: JSON Schema that the endpoint is asked to hold the answer to, where it can.
            stop: Texts that end the answer.
            top_logprobs: How many of the likeliest tokens to tell at each place of the answer, with their
                log-probabilities, where the endpoint can.
            anew: A higher number asks again what was answered before.
            on_taken: Told what an answer took as soon as an endpoint gave it to this question, whatever fails after
                that, and what a try took at most that came to no usable answer; never where the answer was there or
                another asker's.
            on_again: Awaited before such a question is sent once more; what it raises is raised instead.
            only_while_awaited: Whether the endpoint is let go of when nobody waits for the answer any more; a question
                that one asker wants in any case is answered for the cache.

        Returns:
            The answer; its text may be empty.

        Raises:
            UnknownModelError: Nobody knows the model.
            RequestRefusedError: This request is impossible for the endpoint.
            LlmHaltError: Standing still is right: endpoint away, budget spent, cache not writable.
            AnswerPendingError: The model is asked in batches, and this question is in one, or will be.
            StoppingError: The process stops, and the question was not asked.
        """
        endpoint = self.endpoint(model)
        turns = (user(messages),) if isinstance(messages, str) else tuple(messages)
        request = ChatRequest(
            model=endpoint.identity,
            messages=turns,
            max_tokens=max_tokens + endpoint.thinking_tokens,
            temperature=temperature,
            seed=seed,
            json_schema=json_schema or {},
            stop=tuple(stop),
            top_logprobs=top_logprobs,
            anew=anew,
            digest=endpoint.digest,
        )
        key = request.key()
        running = self._in_flight.get(key)
        shared = running is not None
        if running is None:
            running = _InFlight(asyncio.create_task(self._answer(endpoint, request, key, purpose, on_taken, on_again)))
            self._in_flight[key] = running
            running.task.add_done_callback(lambda task: self._landed(key, task))
        running.waiting += 1
        running.wanted = running.wanted or not only_while_awaited
        asked = {"gen_ai.request.model": endpoint.identity, "touchstone.purpose": purpose}
        with tracing.asking(f"chat {endpoint.name}", asked) as span:
            try:
                # One asker who gives up must not take the answer away from the others.
                answer = await asyncio.shield(running.task)
            except asyncio.CancelledError:
                # An answer that came is paid: it is booked and kept, whoever leaves.
                if running.waiting == 1 and not running.wanted and key not in self._paid:
                    running.task.cancel()
                    # Whoever asks from now on asks anew.
                    self._landed(key, running.task)
                raise
            finally:
                running.waiting -= 1
            span.set_attribute("touchstone.cached", shared or answer.cached)
            span.set_attribute("gen_ai.usage.input_tokens", answer.usage.tokens_in)
            span.set_attribute("gen_ai.usage.output_tokens", answer.usage.tokens_out)
        if shared or answer.cached:
            answer = replace(answer, cached=True)
            await self._book(LedgerEntry(key, purpose, answer.model, LlmUsage(), cached=True, day=today()))
        return answer

    def at_most(self, messages: str | Sequence[Message], max_tokens: int, model: str = "") -> LlmUsage:
        """What a question can take, as budgets reserve it; the parameters as for `chat`.

        Raises:
            UnknownModelError: Nobody knows the model.
        """
        endpoint = self.endpoint(model)
        turns = (user(messages),) if isinstance(messages, str) else messages
        return most_of(endpoint, turns, max_tokens + endpoint.thinking_tokens)

    async def close(self) -> None:
        """Stop what is in flight, keep what was answered where that does not take long, and close the connections."""
        tasks = [running.task for running in self._in_flight.values()]
        for key, running in self._in_flight.items():
            if key not in self._paid:
                running.task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_KEEPING_S)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._lost.book(), _KEEPING_S)
        await self._transport.close()

    def _landed(self, key: str, task: asyncio.Task[Answer]) -> None:
        running = self._in_flight.get(key)
        if running is not None and running.task is task:
            del self._in_flight[key]
        if task.done() and not task.cancelled():
            # Every asker may be gone by now; a fault that nobody waits for is no news.
            task.exception()

    async def _answer(
        self,
        endpoint: Endpoint,
        request: ChatRequest,
        key: str,
        purpose: str,
        on_taken: Callable[[LlmUsage], object] | None,
        on_again: Callable[[], Awaitable[object]] | None,
    ) -> Answer:
        # Looked for before the answer is: an answer is there before its question is forgotten.
        waiting = await self._batches.find(key) if endpoint.batch and self._batches else None
        if (answer := await self.cached(key)) is not None:
            return answer
        if (paid := self._paid.get(key)) is not None:
            return await self._keep_paid(paid, key, waiting)
        alone = waiting is not None and _bound_too_large(endpoint, waiting)
        if endpoint.batch and self._batches and not alone:
            raise await self._put_off(endpoint.in_batch(), request, key, purpose, waiting, self._batches)

        # Whoever asks anew what another one just left has a reservation of his own.
        booking, lost = uuid.uuid4().hex, 0

        @asynccontextmanager
        async def turn() -> AsyncGenerator[Attempt]:
            nonlocal lost
            async with self._slots[endpoint.base_url]:
                if self._stopping():
                    raise StoppingError("asks nothing more, since its process stops", thing=endpoint.name)
                # Kept until it is booked, or given up: between two tries as well.
                if booking not in self._reserved:
                    await self._reserve(endpoint, request, booking)
                if lost and on_again is not None:
                    await on_again()
                attempt, began = Attempt(), time.monotonic()
                try:
                    yield attempt
                except BaseException as error:
                    if attempt.open:
                        lost += 1
                        most = self._reserved.pop(booking)
                        seconds = max(round(time.monotonic() - began, 3), 0.001)
                        of = (key, purpose, request.model)
                        self._lose(lost_entry(endpoint, of, most, attempt.told, seconds), on_taken)
                        # Who is told to end waits for nothing more.
                        await self._lost.book() if isinstance(error, Exception) else self._lost.book_beside()
                    raise

        try:
            raw = await self._transport.complete(endpoint, request, turn)
        except BaseException as error:
            self._reserved.pop(booking, None)
            if isinstance(error, AskedInVainError):
                error.lost = self._lost.of(key)
            if isinstance(error, EndpointNonsenseError) and error.of_a_model and endpoint.base_url in self._known:
                # Whoever waits for the endpoint would wait without end for this one question.
                fault = EndpointFailedError(error.message, thing=error.thing, way_out="look at its log")
                fault.lost = error.lost
                raise fault from error
            raise
        self._widen(endpoint.base_url)
        answer = replace(answer_of(endpoint, request, key, raw), lost=self._lost.of(key))
        paid = self._paid[key] = _Paid(answer, replace(entry_of(answer, purpose), booking=booking))
        self._lost.answered(key)
        if on_taken is not None:
            on_taken(paid.answer.usage)
        return await self._keep_paid(paid, key, waiting)

    def _lose(self, lost: LedgerEntry, on_taken: Callable[[LlmUsage], object] | None) -> None:
        """Count what was sent and came to no usable answer."""
        if lost.usage.lost_tokens:
            self._lost.add(replace(lost, booking=uuid.uuid4().hex))
        if on_taken is not None:
            on_taken(lost.usage)

    async def _keep_paid(self, paid: _Paid, key: str, waiting: Question | None) -> Answer:
        """Book an answer and keep it; what fails on the way goes on with the next try, and asks nobody anew."""
        if not paid.booked:
            # Reserved until it is booked: what the ledger does not know of yet is spent all the same.
            await self._book(paid.entry)
            paid.booked = True
            self._reserved.pop(paid.entry.booking, None)
        if waiting is not None and self._batches:
            await self._batches.drop(key)
        stored = from_record(await self._cache.put(key, to_record(paid.answer)), key)
        self._paid.pop(key, None)
        return paid.answer if stored is None else replace(stored, cached=False)

    async def cached(self, key: str) -> Answer | None:
        """The answer to a question that was answered before; `key` is the hash of its request."""
        record = await self._cache.get(key)
        return None if record is None else from_record(record, key)

    async def keep(self, endpoint: Endpoint, question: Question, raw: RawAnswer, batches: BatchStore) -> None:
        """Keep an answer that came with a batch; whoever asks again gets it. Once more changes nothing.

        Args:
            endpoint: Who said it, at its prices.
            question: What was asked.
            raw: What was said.
            batches: Where the question waited; it is booked as it is forgotten there.
        """
        fresh = answer_of(endpoint, question.request, question.key, raw)
        # Kept before it is booked: between the two it is asked for no more, and booked by whoever comes next.
        await self._cache.put(question.key, to_record(fresh))
        entry = entry_of(fresh, question.purpose)
        if await batches.settle(entry):
            count(entry)

    async def _put_off(
        self,
        endpoint: Endpoint,
        request: ChatRequest,
        key: str,
        purpose: str,
        waiting: Question | None,
        batches: BatchStore,
    ) -> Exception:
        """See to it that a question is in a batch, or will be; gives what its asker is told."""
        if waiting is None:
            await self._reserve(endpoint, request, key)
            try:
                asked = Question(key, endpoint.name, purpose, request, self._reserved[key], datetime.now(UTC))
                await batches.put(asked)
            finally:
                self._reserved.pop(key, None)
        elif waiting.status:
            return fault_of(endpoint, waiting.status, waiting.said)
        elif waiting.unwanted:
            await batches.put(waiting)
        batch = await batches.batch(waiting.batch_id) if waiting and waiting.batch_id else None
        if batch is None or batch.state != "failed":
            return AnswerPendingError("the answer comes with a batch", key=key, thing=endpoint.name)
        fault = BatchFailedError(
            f"the batch {batch.remote_id or batch.batch_id} was not taken: {batch.reason}",
            thing=endpoint.name,
            way_out="mend that or take `batch = true` out of models.toml; then ask for the run again",
        )
        fault.own = endpoint.own
        return fault

    def _widen(self, address: str) -> None:
        if address not in self._known:
            self._known.add(address)
            for _ in range(self._concurrency - 1):
                self._slots[address].release()

    async def _book(self, entry: LedgerEntry) -> None:
        """Book a question, and count it once the books have it."""
        await self.ledger.record(entry)
        count(entry)

    async def _reserve(self, endpoint: Endpoint, request: ChatRequest, booking: str) -> None:
        # Reserved before the ledger is read: askers side by side then see one another.
        self._reserved[booking] = most_of(endpoint, request.messages, request.max_tokens)
        try:
            await self._lost.book()
            open_batches = await self._batches.reserved() if self._batches else LlmUsage()
            reserved = sum(self._reserved.values(), open_batches + self._lost.unbooked)
            unpriced = "" if endpoint.priced else endpoint.name
            self._budget.check(await self.ledger.spent(), reserved, unpriced)
        except BaseException as error:
            self._reserved.pop(booking, None)
            if isinstance(error, BudgetSpentError):
                metrics.LLM_REFUSALS.inc()
            raise


def _bound_too_large(endpoint: Endpoint, question: Question) -> bool:
    """Whether a question came back from its batch since it does not fit beside its bound: it is then asked alone."""
    body = request_body(endpoint, question.request, (), constrained=False)
    return question.status in (400, 422) and smaller_bound(body, own_words(question.said), "") is not None


def unpriced_by(settings: ServiceSettings) -> Callable[[str], bool]:
    """Tells whether nobody named the price of a model, by its identity; nobody did where the catalogue is no good.

    Args:
        settings: The service's.
    """

    @cache
    def catalogue() -> Catalogue | None:
        try:
            return Catalogue.load(settings.models_file, settings.llm_base_url, settings.llm_model)
        except CatalogueError:
            return None

    return lambda model: (known := catalogue()) is not None and known.unpriced(model)


def keys_of(settings: ServiceSettings) -> dict[str, str]:
    """The configured keys by the `host:port` that each belongs to."""
    keys = {place if ":" in place else f"{place}:443": key for place, key in settings.llm_api_keys.items()}
    if settings.llm_api_key and settings.llm_base_url:
        keys[place_of(settings.llm_base_url)] = settings.llm_api_key
    return keys
