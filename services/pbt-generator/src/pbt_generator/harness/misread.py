"""Values as somebody takes them who misreads what they are."""

# A text for the sandbox, not a module: it stands before `mutate.py`.
# ruff: noqa: BLE001
import datetime as _ts_datetime
import unicodedata as _ts_unicodedata
from itertools import islice as _ts_islice


def _ts_misread(rule, value):
    """A value as somebody takes it who misreads what it is; in lists and maps, all that they hold."""
    try:
        if rule in _ts_WHOLE:
            return _ts_WHOLE[rule](value)
        return _ts_leaves(_ts_LEAVES[rule], value)
    except Exception:
        # What fails here shows nothing of the program.
        return value


def _ts_leaves(change, value):
    kind = type(value)
    if kind in (list, tuple):
        return kind(_ts_leaves(change, item) for item in value)
    if kind is dict:
        return {_ts_leaves(change, key): _ts_leaves(change, item) for key, item in value.items()}
    return change(value) if kind in (str, int, float, _ts_datetime.date, _ts_datetime.datetime) else value


def _ts_texts(change):
    return lambda value: change(value) if type(value) is str else value


def _ts_numbers(change):
    return lambda value: change(value) if type(value) in (int, float) and abs(value) < 1e300 else value


def _ts_dates(change):
    return lambda value: change(value) if isinstance(value, _ts_datetime.date) else value


def _ts_moments(change):
    return lambda value: change(value) if type(value) is _ts_datetime.datetime else value


def _ts_listed(change):
    return lambda value: type(value)(change(value)) if type(value) in (list, tuple) else value


def _ts_cut(sign):
    return _ts_listed(
        lambda items: [part for item in items for part in (item.split(sign) if type(item) is str else [item])]
    )


def _ts_once(items):
    return [item for place, item in enumerate(items) if item not in items[:place]]


def _ts_small(value):
    return value.lower() if isinstance(value, str) else value


def _ts_equal_but_for_case(one, other):
    return _ts_small(one) == _ts_small(other)


def _ts_in_but_for_case(one, others):
    if isinstance(others, str):
        return _ts_small(one) in others.lower()
    # What is no member may still have no order and no hash: the plain question fails as it does.
    return one in others or (isinstance(one, str) and one.lower() in [_ts_small(each) for each in others])


def _ts_at_beginning(part, text):
    return text.startswith(part) if isinstance(text, str) else part in text


def _ts_in_by_words(one, others):
    return one in others or (not isinstance(others, str) and str(one) in [str(each) for each in others])


def _ts_in_no_text(one, others):
    if isinstance(others, str):
        raise TypeError(others)
    return one in others


def _ts_ascii_lower(text):
    return "".join(c.lower() if c.isascii() else c for c in text) if isinstance(text, str) else text.lower()


def _ts_ascii_upper(text):
    return "".join(c.upper() if c.isascii() else c for c in text) if isinstance(text, str) else text.upper()


def _ts_begins_but_for_case(text, start):
    plain = isinstance(text, str) and isinstance(start, str)
    return text.lower().startswith(start.lower()) if plain else text.startswith(start)


def _ts_ends_but_for_case(text, end):
    plain = isinstance(text, str) and isinstance(end, str)
    return text.lower().endswith(end.lower()) if plain else text.endswith(end)


def _ts_begins_without(text, part):
    """All that a text begins with, where one is taken off; of other sequences that one."""
    if not isinstance(text, str):
        return text[len(part) :] if text[: len(part)] == part else text
    while part and text.startswith(part):
        text = text[len(part) :]
    return text


def _ts_ends_without(text, part):
    """The same at the end."""
    if not isinstance(text, str):
        return text[: len(text) - len(part)] if text[len(text) - len(part) :] == part else text
    while part and text.endswith(part):
        text = text[: len(text) - len(part)]
    return text


def _ts_distinct(items):
    """What comes again is passed over."""
    return iter(_ts_once(list(items)))


def _ts_two(items):
    """Nothing beyond the second is seen."""
    return _ts_islice(items, 2)


_ts_LEAVES = {
    "blanks at the ends left out": _ts_texts(str.strip),
    "in lower case": _ts_texts(str.lower),
    "in upper case": _ts_texts(str.upper),
    "what is beyond ASCII left out": _ts_texts(lambda text: text.encode("ascii", "ignore").decode()),
    "what is beyond ASCII as question marks": _ts_texts(lambda text: text.encode("ascii", "replace").decode()),
    "composed characters": _ts_texts(lambda text: _ts_unicodedata.normalize("NFC", text)),
    "without the end of its line": _ts_texts(lambda text: text.removesuffix("\n")),
    "zeros in front left out": _ts_texts(lambda text: text.lstrip("0") or text[:1]),
    "the first line alone": _ts_texts(lambda text: text.split("\n")[0]),
    "the first word alone": _ts_texts(lambda text: (text.split() or [text])[0]),
    "without its sign": _ts_numbers(abs),
    "cut to 32 bits": _ts_numbers(lambda n: (n + 2**31) % 2**32 - 2**31 if type(n) is int else n),
    "as a double": _ts_numbers(lambda n: int(float(n)) if type(n) is int else n),
    "at most a million": _ts_numbers(lambda n: n if abs(n) <= 10**6 else 10**6),
    "on the first of its month": _ts_dates(lambda date: date.replace(day=1)),
    "without its time of day": _ts_moments(lambda at: at.replace(hour=0, minute=0, second=0, microsecond=0)),
    "without its zone": _ts_moments(lambda at: at.replace(tzinfo=None)),
    "without its fraction": _ts_numbers(lambda n: float(int(n)) if type(n) is float else n),
    "zero and the empty text taken for nothing": lambda value: value or None,
    "numbers as texts": lambda value: str(value) if type(value) in (int, float) else value,
    "texts of digits as doubles": _ts_texts(
        lambda text: str(int(float(text))) if text.isascii() and text.isdigit() else text
    ),
    "texts of digits as numbers": _ts_texts(lambda text: int(text) if text.isascii() and text.isdigit() else text),
}
_ts_WHOLE = {
    "what is empty taken for nothing": lambda value: (
        None if type(value) in (str, int, float, bool, list, tuple, dict) and not value else value
    ),
    "cut at points": _ts_cut("."),
    "cut at blanks": _ts_cut(" "),
    "cut at slashes": _ts_cut("/"),
    "cut at commas": _ts_cut(","),
    "cut at dashes": _ts_cut("-"),
    "in order": _ts_listed(lambda items: sorted(items, key=repr)),
    "turned round": _ts_listed(lambda items: items[::-1]),
    "repeats left out": _ts_listed(_ts_once),
    "what is empty left out": _ts_listed(lambda items: [item for item in items if item]),
    "the first alone": _ts_listed(lambda items: items[:1]),
    "entries without a value left out": lambda value: (
        {key: item for key, item in value.items() if item} if type(value) is dict else value
    ),
}
