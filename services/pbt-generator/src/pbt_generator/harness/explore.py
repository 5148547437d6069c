"""Behind an instrumented ground truth: calls it on many inputs and reports what each run did."""

# A text for the sandbox, not a module: it stands behind `common.py`.
# ruff: noqa: F821, BLE001, B905, SIM102
import operator as _ts_operator
import re as _ts_regex

_ts_hits = set()
_ts_obs = []
_ts_counts = {}
_ts_need = frozenset()
_ts_OPS = {
    "==": _ts_operator.eq,
    "!=": _ts_operator.ne,
    "<": _ts_operator.lt,
    "<=": _ts_operator.le,
    ">": _ts_operator.gt,
    ">=": _ts_operator.ge,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
    "is": _ts_operator.is_,
    "is not": _ts_operator.is_not,
}


def _ts_h(k):
    _ts_hits.add(k)


def _ts_d(k, value):
    _ts_hits.add(k)
    return value


def _ts_b(k, value):
    if value:
        _ts_hits.add(k)
        return True
    _ts_hits.add(k + 1)
    return False


def _ts_v(k, value):
    _ts_hits.add(k if value else k + 1)
    return value


def _ts_plain(value):
    kind = type(value)
    if kind is str:
        return value if (len(value) <= 300 and value.isprintable()) or len(value) <= 80 else None
    if kind is int:
        return value if -(2**53) < value < 2**53 else None
    if kind is float:
        return value if _ts_math.isfinite(value) else None
    return value if kind in (bool, type(None)) else None


def _ts_members(value):
    if type(value) in (list, tuple, set, frozenset, dict) and len(value) <= 24:
        return [item for item in value if type(item) in (str, int, float, bool)]
    return []


def _ts_shown(value):
    """A plain value, or a sequence of such, as data; None for what is neither."""
    if type(value) in (list, tuple, set, frozenset):
        items = [_ts_shown(item) for item in value] if len(value) <= 24 else [None]
        return items if None not in items else None
    return _ts_plain(value)


def _ts_note(k, op, left, right):
    count = _ts_counts.get(k, 0)
    if count >= 3:
        return
    _ts_counts[k] = count + 1
    _ts_obs.append([k, op, left, right])


def _ts_lacks(k, table, key):
    """A map that was asked for a key of several parts, and lacks it, is told with all of its keys."""
    keys = list(table)
    parts = [*key, *(part for each in keys if type(each) is tuple for part in each)]
    # Nothing is a part like any other.
    if len(keys) <= 24 and all(part is None or _ts_plain(part) is not None for part in parts) and key not in table:
        _ts_note(k, "key", [list(each) if type(each) is tuple else _ts_plain(each) for each in keys], list(key))


def _ts_c(k, op, left, right):
    name = op[3:] if op.startswith("len") else op
    result = _ts_OPS[name](left, right)
    if name[0] in "<>":
        if type(left) in (int, float) and type(right) in (int, float):
            _ts_hits.add(k if left < right else k + 2 if left > right else k + 1)
        else:
            _ts_hits.add(k if result is True else k + 2)
        if k in _ts_need or k + 1 in _ts_need or k + 2 in _ts_need:
            if type(left) in _ts_SIMPLE and type(right) in _ts_SIMPLE:
                _ts_note(k, op, _ts_plain(left), _ts_plain(right))
        return result
    if result is True:
        _ts_hits.add(k + 1)
    elif result is False:
        _ts_hits.add(k)
    if k in _ts_need or k + 1 in _ts_need:
        if name in ("in", "not in"):
            if type(right) is str and type(left) is str:
                _ts_note(k, "contains", _ts_plain(right), _ts_plain(left))
            elif type(left) in _ts_SIMPLE:
                members = _ts_members(right)
                if type(right) is dict and left not in right and type(left) is str:
                    _ts_note(k, "key", members, left)
                if members:
                    _ts_note(k, "in", _ts_plain(left), members)
            elif type(left) is tuple and type(right) is dict:
                _ts_lacks(k, right, left)
            held, member = _ts_shown(right), _ts_shown(left)
            if type(held) is list and member is not None and member not in held:
                _ts_note(k, "hold", held, member)
        elif type(left) in _ts_SIMPLE and type(right) in _ts_SIMPLE:
            _ts_note(k, op, _ts_plain(left), _ts_plain(right))
        elif type(left) in (list, tuple) and type(right) in (list, tuple):
            _ts_note(k, "==", _ts_members(left), _ts_members(right))
    return result


def _ts_chain(sites, ops, left, *rest):
    result = True
    for k, op, thunk in zip(sites, ops, rest):
        right = thunk()
        result = _ts_c(k, op, left, right)
        if not result:
            return result
        left = right
    return result


def _ts_p(k, name, receiver, args):
    """A text that is matched with a regular expression is told with the expression."""
    result = getattr(receiver, name)(*args)
    pattern, subject = (receiver, args) if type(receiver) is _ts_regex.Pattern else (None, args[1:])
    if receiver is _ts_regex and args:
        pattern = args[0] if type(args[0]) is _ts_regex.Pattern else None
        if type(args[0]) is str and len(args[0]) <= 300:
            pattern = _ts_regex.compile(args[0], *args[2:3])
    if pattern is None or not subject or type(subject[0]) is not str or type(pattern.pattern) is not str:
        return result
    _ts_hits.add(k + 1 if result is not None else k)
    if k in _ts_need or k + 1 in _ts_need:
        flags = "".join(letter for letter in "imsx" if pattern.flags & getattr(_ts_regex, letter.upper()))
        _ts_note(k, "match", _ts_plain(subject[0]), f"(?{flags})" * bool(flags) + pattern.pattern)
    return result


def _ts_m(k, name, receiver, *args):
    if name in ("match", "search", "fullmatch"):
        return _ts_p(k, name, receiver, args)
    result = getattr(receiver, name)(*args)
    truth = (
        result is not None and result is not False and result != -1 if type(result) in (bool, int, type(None)) else None
    )
    if truth is None and type(result) in (list, tuple):
        truth = len(result) > 1 and not (len(result) == 3 and result[1] == "")
    if truth is not None:
        _ts_hits.add(k + 1 if truth else k)
    if k in _ts_need or k + 1 in _ts_need:
        if type(receiver) is str:
            right = args[0] if args else ""
            if type(right) is tuple and right and name.endswith("with"):
                right = right[len(_ts_obs) % len(right)]
            if type(right) is str:
                _ts_note(k, name, _ts_plain(receiver), _ts_plain(right))
        elif type(receiver) is dict and name == "get" and args and type(args[0]) is str and args[0] not in receiver:
            _ts_note(k, "key", _ts_members(receiver), args[0])
        elif type(receiver) is dict and name == "get" and args and type(args[0]) is tuple:
            _ts_lacks(k, receiver, args[0])
    return result


# CPU-seconds after which a call is given up, and calls that may take so long before later ones get a part of it. What
# is given up becomes no case, and says nothing.
_ts_GUARD = 1.0
_ts_HELD = 3


def _ts_explore(batch, need, limit):
    """Call the entry on every input.

    Returns one list per input: status (0 returned, 1 raised, 2 too long), goals hit, operands seen, hash of the result,
    portability of the result, a note (type of the result, or of the error with its message and line), steps, and the
    order of magnitude of the result's text.
    """
    global _ts_need, _ts_ticks, _ts_limit
    entry = globals()[_ts_ENTRY]
    forget = _ts_forgetter(entry)
    _ts_limit = limit
    _ts_need = frozenset(need)
    results = []
    out, err = _ts_sys.stdout, _ts_sys.stderr
    timer = _ts_timer()
    held = 0
    for given in batch:
        _ts_hits.clear()
        _ts_obs.clear()
        _ts_counts.clear()
        _ts_ticks = 0
        _ts_sys.stdout = _ts_sys.stderr = _ts_io.StringIO()
        status, mark, flag, note, size = 0, 0, 0, "", 0
        try:
            forget()
            timer(_ts_GUARD if held < _ts_HELD else _ts_GUARD / 5)
            value = entry(**given) if type(given) is dict else entry(*given)
            timer(0)
            text, flag = _ts_text(value)
            mark, size = _ts_zlib.crc32(text.encode("utf-8", "replace")), len(text)
            note = type(value).__name__
            # Who catches everything catches the end of its steps, too.
            status = 2 if _ts_ticks > limit else 0
        except _TsBudget:
            status = 2
        except _TsGuard:
            status = 2
            held += 1
        except Exception as error:
            status = 2 if _ts_ticks > limit else 1
            note = _ts_words(error)
        finally:
            timer(0)
            _ts_sys.stdout, _ts_sys.stderr = out, err
        results.append(
            [status, sorted(_ts_hits), list(_ts_obs) if status != 2 else [], mark, flag, note, _ts_ticks, size]
        )
    return results


def _ts_words(error):
    try:
        words = str(error)[:160]
    except Exception:
        words = ""
    return f"{type(error).__name__}: {words}"
