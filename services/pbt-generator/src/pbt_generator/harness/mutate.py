"""Behind a program that holds all mutants of a ground truth: finds which inputs tell each of them from the original."""

# A text for the sandbox, not a module: it stands behind `common.py`, `misread.py` and `state.py`.
# ruff: noqa: F821, BLE001, ARG001
import copy as _ts_copy
import marshal as _ts_marshal
import pickle as _ts_pickle

import touchstone_values as _ts_values

_ts_M = 0
# Whether something that ran in this process left it other than it was.
_ts_spoiled = False
_ts_infected = False
_ts_came = False


def _ts_w(k, alternative, original):
    """In witness mode: give the original value, and note whether the mutant's would differ here."""
    global _ts_infected, _ts_came
    _ts_came = True
    if not _ts_infected:
        try:
            _ts_infected = not _ts_equal(alternative(), original)
        except Exception:
            _ts_infected = True
    return original


def _ts_keeper(owner, name):
    """The name of the class that keeps an attribute of an object, or of a class."""
    kind = owner if isinstance(owner, type) else type(owner)
    return next((each.__name__ for each in kind.__mro__ if name in vars(each)), "")


def _ts_x(k):
    """In witness mode: a statement that the mutant leaves out was run."""
    global _ts_infected, _ts_came
    _ts_infected = _ts_came = True


def _ts_equal(a, b):
    """Whether a place gave the same value: of one kind, and equal, NaN with NaN."""
    return type(a) is type(b) and (a == b or repr(a) == repr(b))


def _ts_judged(value):
    """A result as the judge gets it: its portable text, and a quick copy for comparing; None for what has none."""
    try:
        return _ts_values.encode(value), _ts_quick(value)
    except _ts_values.UnportableError:
        return None


def _ts_differs(expected, value, mode):
    """Whether the judge tells a mutant's result from the ground truth's: by the comparator that judges candidates."""
    text, quick = expected
    if quick is not None and quick == _ts_quick(value):
        return False
    try:
        return _ts_values.compare(text, _ts_values.encode(value), mode) is not None
    except _ts_values.UnportableError:
        return True


def _ts_maker(value):
    """A function that gives a fresh copy of a value each time, by the quickest way that keeps it."""
    try:
        data = _ts_marshal.dumps(value)
        if _ts_marshal.loads(data) == value and _ts_plain_types(value):
            return lambda: _ts_marshal.loads(data)
    except ValueError:
        pass
    try:
        data = _ts_pickle.dumps(value)
        return lambda: _ts_pickle.loads(data)
    except Exception:
        return lambda: _ts_copy.deepcopy(value)


_ts_A = -1


def _ts_arm(place):
    """The arm of a `match` that is entered: at once, so that nothing comes between."""
    global _ts_A
    _ts_A = place


class _TsEndless(BaseException):
    """A loop came back to the state that it was in before."""


class _TsGrowing(BaseException):
    """A loop made a value that is far larger than what it was given."""


# CPU-seconds after which a call is given up: nothing is concluded from that. A million rounds of a loop take 0.2 to 1.
_ts_GUARD, _ts_LONG_GUARD = 2.0, 8.0
# Steps in which a loop that took too many is watched.
_ts_WATCHED = 256
# A mutant that takes a thousand times as many steps as the ground truth, and so many at least, has failed.
_ts_LONG = 1_000_000
# So has one whose loop makes a value so large out of inputs of a few thousand characters: text and list, bits.
_ts_LARGE, _ts_WIDE = 2**22, 2**18
# Rounds before that is looked at: what doubles in each is as large soon after.
_ts_ROUNDS = 12
# Of a million rounds few are looked at: what doubles was met among the first ones.
_ts_FEW = 7
_ts_code = None
_ts_watch = 0
_ts_seen = None
_ts_again = 0
_ts_rounds = 0
_ts_skip = 0


def _ts_s():
    """A round of a `while`: one of the entry that is in the same state again never ends, nor one that grows so."""
    global _ts_seen, _ts_again, _ts_rounds, _ts_ticks
    _ts_ticks += 1
    if _ts_ticks > _ts_limit:
        raise _TsBudget
    _ts_rounds += 1
    if _ts_ticks <= _ts_watch and (_ts_rounds < _ts_ROUNDS or not _ts_M or _ts_rounds & _ts_skip):
        return
    frame = _ts_sys._getframe(1)
    if _ts_M and any(map(_ts_large, frame.f_locals.values())):
        raise _TsGrowing
    if frame.f_code is not _ts_code or _ts_ticks <= _ts_watch:
        return
    state = _ts_state(frame)
    if state is None:
        return
    if _ts_seen is not None and _ts_seen[0] is frame and _ts_seen[1] == state:
        raise _TsEndless
    if _ts_ticks >= _ts_again:
        _ts_seen, _ts_again = (frame, state), _ts_ticks + max(1, _ts_ticks - _ts_watch)


def _ts_large(value):
    kind = type(value)
    if kind is int:
        return value.bit_length() > _ts_WIDE
    return kind in (str, bytes, list) and len(value) > _ts_LARGE


def _ts_f():
    """A round of a `for` around a `while`: it goes on, whatever the variables say."""
    global _ts_seen
    _ts_seen = None
    _ts_t()


def _ts_call(entry, forget, make, mutant, limit, timer, watched=False):
    """Run one mutant on one input; one that is granted a million steps for longer, and its rounds are looked at rarely.

    Returns status and value; the status is 0 for returned, 1 for raised, 2 for more steps than granted, 3 for a loop
    that never ends, 4 for given up, 5 for having looked at a value that stands for any, 6 for a
    value that fills memory.
    """
    global _ts_M, _ts_ticks, _ts_limit, _ts_watch, _ts_seen, _ts_again, _ts_rounds, _ts_skip
    given = make()
    _ts_M, _ts_ticks, _ts_seen, _ts_again, _ts_rounds = mutant, 0, None, 0, 0
    _ts_watch = limit if watched else limit + _ts_WATCHED
    _ts_limit = limit + _ts_WATCHED
    _ts_skip = _ts_FEW if limit >= _ts_LONG else 0
    try:
        forget()
        timer(_ts_LONG_GUARD if limit >= _ts_LONG else _ts_GUARD)
        value = entry(**given) if type(given) is dict else entry(*given)
        timer(0)
        # Who catches everything catches the end of its steps, too.
        return (2, None) if _ts_ticks > _ts_limit else (0, value)
    except _TsBudget:
        return 2, None
    except _TsEndless:
        return 3, None
    except _TsGrowing:
        return 6, None
    except (_TsGuard, MemoryError):
        return 4, None
    except _TsTouched:
        return 5, None
    except BaseException:
        return (2 if _ts_ticks > _ts_limit else 1), None
    finally:
        timer(0)
        _ts_M = 0


def _ts_mutate(inputs, plan, enough, mode, spare):
    """Find killers of mutants.

    Args:
        inputs: Inputs on which the original returns.
        plan: For each mutant its number, the places of the inputs that are all tried, those tried after them, and
            true where it was granted a million steps in an earlier call: that is done once.
        enough: A mutant with so many killers is not tried on the second kind of inputs any more.
        mode: How results are compared: "portable" or "exact".
        spare: Steps that a mutant may take beyond 20 times the original's before its loops are watched.

    Returns one list per mutant: its number, the places of its killers, how many inputs were tried, and on how many of
    them it was stopped without anything being known. Where the original gives something else on an input that was
    seen to kill, the ground truth or the mutant keeps something from run to run: such killers show nothing, and
    neither would whatever this process runs from then on. That mutant has -1 at the end, those after it have no list.
    """
    global _ts_code, _ts_spoiled
    if _ts_spoiled:
        return []
    entry = globals()[_ts_ENTRY]
    _ts_code = getattr(getattr(entry, "__wrapped__", entry), "__code__", None)
    forget = _ts_forgetter(entry)
    timer = _ts_timer()
    out, err = _ts_sys.stdout, _ts_sys.stderr
    _ts_sys.stdout = _ts_sys.stderr = _ts_io.StringIO()
    makers = [_ts_maker(given) for given in inputs]
    originals = {}
    answers = []
    try:
        for mutant, always, later, *before in plan:
            killers, tried, ended, unfinished = [], 0, 0, []
            for turn, place in enumerate([*always, *later]):
                if turn >= len(always) and len(killers) >= enough:
                    break
                if place not in originals:
                    status, value = _ts_call(entry, forget, makers[place], 0, 200_000, timer)
                    expected = _ts_judged(value) if status == 0 else None
                    originals[place] = (expected, _ts_ticks)
                expected, steps = originals[place]
                if expected is None:
                    continue
                tried += 1
                status, value = _ts_call(entry, forget, makers[place], mutant, spare + 20 * steps, timer, True)
                if status == 6 and _ts_call(entry, forget, makers[place], -1, 200_000, timer)[0] == 6:
                    # The ground truth has such values itself.
                    status = 4
                if status in (2, 4):
                    unfinished.append((steps, place, status))
                elif status or _ts_differs(expected, value, mode):
                    killers.append(place)
                # What does not end costs much on every input.
                ended += status > 1
                if ended >= 3:
                    break
            granted = [each for each in unfinished if each[2] == 2 and each[0] <= _ts_LONG // 1000]
            if granted and not killers and not any(before):
                _, place, _ = min(granted)
                status, value = _ts_call(entry, forget, makers[place], mutant, _ts_LONG, timer)
                if status in (1, 2, 6) or (status == 0 and _ts_differs(originals[place][0], value, mode)):
                    killers.append(place)
            if killers:
                expected, _ = originals[killers[-1]]
                status, value = _ts_call(entry, forget, makers[killers[-1]], 0, 200_000, timer)
                if status not in (0, 4) or (status == 0 and _ts_differs(expected, value, mode)):
                    _ts_spoiled = True
                    answers.append([mutant, [], tried, -1])
                    break
            answers.append([mutant, killers, tried, 0 if killers else len(unfinished)])
    finally:
        _ts_sys.stdout, _ts_sys.stderr = out, err
    return answers


def _ts_sweep(sweeps, mutants, mode, most):
    """Values of a place on which mutants differ from the original.

    Args:
        sweeps: Lists of an input, the way to one of its places, and the values that stand there in turn.
        mutants: Numbers of the mutants.
        mode: How results are compared.
        most: Calls and steps after which nothing more is tried.

    Returns [mutant, sweep, place of the value] lists, at most two of a mutant in a sweep.
    """
    entry = globals()[_ts_ENTRY]
    forget = _ts_forgetter(entry)
    timer = _ts_timer()
    out, err = _ts_sys.stdout, _ts_sys.stderr
    _ts_sys.stdout = _ts_sys.stderr = _ts_io.StringIO()
    found, spent = [], 0
    try:
        for number, (base, path, values) in enumerate(sweeps):
            left = dict.fromkeys(mutants, 2)
            for place, value in enumerate(values):
                if spent > most or not left:
                    break
                make = _ts_maker(_ts_put(base, path, value))
                status, result = _ts_call(entry, forget, make, 0, 2_000, timer)
                spent += 1 + _ts_ticks
                expected = _ts_judged(result) if status == 0 else None
                if expected is None:
                    continue
                limit = 200 + 20 * _ts_ticks
                for mutant in list(left):
                    status, changed = _ts_call(entry, forget, make, mutant, limit, timer)
                    spent += 1 + _ts_ticks
                    if status == 1 or (status == 0 and _ts_differs(expected, changed, mode)):
                        found.append([mutant, number, place])
                        left[mutant] -= 1
                        if not left[mutant]:
                            del left[mutant]
    finally:
        _ts_sys.stdout, _ts_sys.stderr = out, err
    return found


def _ts_put(value, path, new):
    """A value with another one at a place; what holds it is made anew."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    items = dict(value) if type(value) is dict else list(value)
    items[head] = _ts_put(items[head], rest, new)
    return tuple(items) if type(value) is tuple else items


def _ts_untimed(seconds):
    pass


class _TsTouched(BaseException):
    """Something was done with a value that stands for any."""


def _ts_touched(*given, **named):
    raise _TsTouched


# Stands for any value: whatever is done with it ends the run. What goes through untouched hangs on no such value.
_TsAny = type(
    "_TsAny",
    (),
    {
        name: _ts_touched
        for kind in (int, float, complex, str, bytes, list, dict, set, type(iter([])))
        for name in dir(kind)
        if name.startswith("__")
        and callable(getattr(kind, name))
        and name not in {"__new__", "__init__", "__init_subclass__", "__class__", "__dict__", "__slots__", "__doc__"}
    }
    | dict.fromkeys(("__call__", "__enter__", "__exit__", "__fspath__", "__await__", "__bool__"), _ts_touched)
    | {"__module__": "candidate"},
)


def _ts_exhaust(plan, mode):
    """Run mutants and original on values of one parameter, with values that stand for any in place of the others.

    Args:
        plan: For each mutant its number and the inputs to try, each with the places that hold any value.
        mode: How results are compared.

    Returns the numbers of the mutants that the original is never told from: neither looked at the other parameters,
    and both gave the same, or the original raised.
    """
    entry = globals()[_ts_ENTRY]
    forget = _ts_forgetter(entry)
    out, err = _ts_sys.stdout, _ts_sys.stderr
    _ts_sys.stdout = _ts_sys.stderr = _ts_io.StringIO()
    try:
        return [
            number
            for number, inputs in plan
            if all(_ts_alike(entry, forget, number, given, free, mode) for given, free in inputs)
        ]
    finally:
        _ts_sys.stdout, _ts_sys.stderr = out, err


def _ts_alike(entry, forget, number, given, free, mode):
    any_values = {place: _TsAny() for place in free}
    results = []
    for mutant in (0, number):
        copied = _ts_copy.deepcopy(given)
        for place, value in any_values.items():
            copied[place] = value
        results.append(_ts_call(entry, forget, copied.copy, mutant, 20_000, _ts_untimed))
    (status, value), (other, changed) = results
    if status == 1 and not free:
        # What raises is no case. Over a value that stands for any, an error may be about that.
        return True
    if status or other:
        return False
    if any(value is part for part in any_values.values()):
        return changed is value
    try:
        expected = _ts_judged(value)
        return expected is not None and not _ts_differs(expected, changed, mode)
    except _TsTouched:
        # Such a value stands in the result.
        return False


def _ts_witness(inputs, mutants):
    """Tell for each mutant on which inputs its place gives another value than the original's.

    The program must be the witness form of the mutants. Returns [mutant, places of infected inputs, inputs that came to
    the mutant's place] lists.
    """
    global _ts_infected, _ts_came
    entry = globals()[_ts_ENTRY]
    forget = _ts_forgetter(entry)
    timer = _ts_timer()
    out, err = _ts_sys.stdout, _ts_sys.stderr
    _ts_sys.stdout = _ts_sys.stderr = _ts_io.StringIO()
    makers = [_ts_maker(given) for given in inputs]
    answers = []
    try:
        for mutant in mutants:
            infected, came = [], 0
            for place, make in enumerate(makers):
                _ts_infected = _ts_came = False
                _ts_call(entry, forget, make, mutant, 200_000, timer)
                came += _ts_came
                if _ts_infected:
                    infected.append(place)
            answers.append([mutant, infected, came])
    finally:
        _ts_sys.stdout, _ts_sys.stderr = out, err
    return answers
