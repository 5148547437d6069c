"""Dead letters, and what became of them.

A dead letter stays where it is. That it was replayed is written behind it in the same topic, as a message
with the header `touchstone-replayed` that names the original message.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from touchstone_cli.dlq_kafka import DeadLetterLog, LogRecord
from touchstone_cli.errors import CliError
from touchstone_cli.output import counted
from touchstone_cli.settings import blob_url
from touchstone_contracts.events import DeadLetter

REPLAYED_HEADER = "touchstone-replayed"
# Of letters that cannot be replayed so many are named.
_SHOWN = 5


@dataclass(frozen=True)
class Letter:
    """A dead letter, and whether it was replayed.

    Attributes:
        id: `topic:partition:offset` of the original message.
        found_in: The dead-letter topic.
    """

    id: str
    letter: DeadLetter
    found_in: str
    replayed: bool


def letters_in(records: Sequence[LogRecord]) -> list[Letter]:
    """Dead letters in the order in which they were written; a letter that was written twice appears once.

    Records that are no dead letters are left out: nobody but the platform writes to these topics.
    """
    found: dict[tuple[str, str, str], Letter] = {}
    of_id: dict[str, list[tuple[str, str, str]]] = {}
    for record in records:
        if REPLAYED_HEADER in record.headers:
            # Of those before it: a broker that was restored counts anew, and a later message may have the same id.
            for key in of_id.pop(record.headers[REPLAYED_HEADER], ()):
                found[key] = replace(found[key], replayed=True)
            continue
        letter = _letter_of(record)
        if letter is None:
            continue
        identity = _id_of(letter)
        # Two services may fail on one message: each has its letter.
        key = (identity, letter.service, _message(letter))
        if key not in found:
            found[key] = Letter(identity, letter, record.topic, replayed=False)
            of_id.setdefault(identity, []).append(key)
    return list(found.values())


def _letter_of(record: LogRecord) -> DeadLetter | None:
    try:
        return DeadLetter.model_validate_json(record.value)
    except ValueError:
        return None


def _id_of(letter: DeadLetter) -> str:
    return f"{letter.topic}:{letter.partition}:{letter.offset}"


def _message(letter: DeadLetter) -> str:
    """Tells the messages of one id apart."""
    return letter.body_digest or letter.body


@dataclass(frozen=True)
class Dropped:
    """What is deleted, and what stays.

    Attributes:
        until: For each topic and partition the first offset that stays.
        letters: How many letters go.
        unreplayed: How many of these were never replayed.
        stay: How many letters stay.
    """

    until: dict[tuple[str, int], int]
    letters: int
    unreplayed: int
    stay: int


def droppable(records: Sequence[LogRecord], before_ms: int, *, unreplayed: bool = False) -> Dropped:
    """The first letters of each partition that were written before a moment and were replayed.

    A broker deletes the first messages of a partition and none between others: what lies behind a letter that stays,
    stays. What was written down of a replay never goes before its letter, which would be replayed once more.

    Args:
        records: All of the dead-letter topics, oldest first.
        before_ms: The moment, in milliseconds since 1970.
        unreplayed: Whether letters that were never replayed go as well.
    """
    letters = letters_in(records)
    places: dict[tuple[str, int], list[tuple[LogRecord, str, bool]]] = {}
    staying = set() if unreplayed else {letter.id for letter in letters if not letter.replayed}
    for record in records:
        marked = record.headers.get(REPLAYED_HEADER)
        letter = None if marked else _letter_of(record)
        identity = marked or (_id_of(letter) if letter else "")
        places.setdefault((record.topic, record.partition), []).append((record, identity, letter is not None))
        if letter and record.sent_ms >= before_ms:
            staying.add(identity)
    for each in places.values():
        each.sort(key=lambda entry: entry[0].offset)
    until: dict[tuple[str, int], int] = {}
    grown = True
    while grown:
        grown = False
        for place, each in places.items():
            at = next((n for n, (_, identity, _) in enumerate(each) if identity in staying), len(each))
            until[place] = each[at][0].offset if at < len(each) else each[-1][0].offset + 1
            # Records of one letter stay together.
            behind = {identity for _, identity, is_letter in each[at:] if is_letter} - staying
            staying |= behind
            grown = grown or bool(behind)
    gone = [letter for letter in letters if letter.id not in staying]
    return Dropped(
        {place: end for place, end in until.items() if end > places[place][0][0].offset},
        len(gone),
        sum(not letter.replayed for letter in gone),
        len(letters) - len(gone),
    )


def select(letters: Sequence[Letter], wanted: str) -> list[Letter]:
    """The letters of one message.

    Args:
        letters: All.
        wanted: `topic:partition:offset`, or the beginning of an event id.

    Raises:
        CliError: none, or several messages, are meant.
    """
    chosen = [letter for letter in letters if letter.id == wanted]
    if not chosen and wanted:
        chosen = [letter for letter in letters if letter.letter.event_id.startswith(wanted)]
    if not chosen:
        raise CliError(f"{wanted or 'an empty id'}: no such dead letter; see `touchstone dlq list`")
    if len({letter.id for letter in chosen}) > 1:
        raise CliError(f"{wanted}: {len(chosen)} dead letters begin so; give more of the id")
    return chosen


async def replay(
    log: DeadLetterLog, letters: Sequence[Letter], tell: Callable[[str], None] = lambda _identity: None
) -> list[str]:
    """Publish the original messages again, then write down that it was done.

    A crash in between publishes a message twice, which is harmless: ids are made from content.

    Args:
        log: The broker.
        letters: Whose messages.
        tell: Is told the id of each message, once, as soon as it was replayed.

    Returns:
        The ids of the replayed messages, each once.

    Raises:
        CliError: messages of letters cannot be read, and all others were replayed; or the broker takes one no more.
    """
    done: dict[tuple[str, str], None] = {}
    told: dict[str, None] = {}
    unread: list[str] = []
    for letter in letters:
        message = (letter.id, _message(letter.letter))
        if message in done:
            continue
        original = letter.letter
        try:
            body = message_of(letter)
        except CliError as error:
            unread.append(str(error))
            continue
        key = original.key.encode() or None
        await log.send(original.topic, key, body, original.headers)
        await log.send(letter.found_in, key, b"", {REPLAYED_HEADER: letter.id})
        done[message] = None
        if letter.id not in told:
            told[letter.id] = None
            tell(letter.id)
    if unread:
        shown = "; ".join([*unread[:_SHOWN], *(["…"] if len(unread) > _SHOWN else [])])
        raise CliError(f"{counted(len(unread), 'letter')} could not be replayed: {shown}")
    return list(told)


def message_of(letter: Letter) -> bytes:
    """The message that could not be handled, from its letter or from the blob store.

    Raises:
        CliError: it cannot be read; nothing was published for it.
    """
    digest = letter.letter.body_digest
    if not digest:
        try:
            return base64.b64decode(letter.letter.body, validate=True)
        except binascii.Error as error:
            raise CliError(f"{letter.id}: its body is no base64; nothing was published for it") from error
    import fsspec

    where = f"{blob_url().rstrip('/')}/{digest[:2]}/{digest}"
    try:
        with fsspec.open(where, "rb") as file:
            body = bytes(file.read())  # pyright: ignore[reportAttributeAccessIssue]
    except (OSError, ValueError, ImportError) as error:
        raise CliError(
            f"{letter.id}: its message cannot be read at {where}: {error}; name TOUCHSTONE_BLOB_URL"
        ) from error
    if hashlib.sha256(body).hexdigest() != digest:
        raise CliError(f"{letter.id}: its message at {where} is damaged")
    return body


def as_object(letter: Letter) -> dict[str, Any]:
    """A letter as JSON, without its body."""
    fields = letter.letter.model_dump(mode="json", exclude={"body", "headers", "trace_id"})
    return {"id": letter.id, **fields, "replayed": letter.replayed}


def body_of(letter: Letter) -> object:
    """The message that could not be handled: its JSON, or its text where it is none."""
    try:
        body = message_of(letter)
    except CliError as error:
        return str(error)
    try:
        return json.loads(body)
    except ValueError:
        return body.decode(errors="replace")
