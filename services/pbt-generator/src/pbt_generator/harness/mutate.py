"""Behind a program that holds all mutants of a ground truth: finds which inputs tell each of them from the original."""

# A text for the sandbox, not a module: it stands behind `common.py`.
# ruff: noqa: F821, BLE001, B905, ARG001
import copy as _ts_copy
import marshal as _ts_marshal
import pickle as _ts_pickle

_ts_M = 0
_ts_infected = False
_ts_came = False
_ts_exact = True


def _ts_w(k, alternative, original):
    """In witness mode: give the original value, and note whether the mutant's would differ here."""
    global _ts_infected, _ts_came
    _ts_came = True
    if not _ts_infected:
        try:
            _ts_infected = not _ts_same(alternative(), original, _ts_exact)
        except Exception:
            _ts_infected = True
    return original


def _ts_x(k):
    """In witness mode: a statement that the mutant leaves out was run."""
    global _ts_infected, _ts_came
    _ts_infected = _ts_came = True


def _ts_same(a, b, exact):
    kind = type(a)
    if kind is not type(b):
        if exact:
            return False
        if kind in (int, float) and type(b) in (int, float):
            return _ts_close(a, b)
        return kind in (list, tuple) and type(b) in (list, tuple) and _ts_items(a, b, exact)
    if kind is float:
        return _ts_close(a, b)
    if kind in (str, int, bool, bytes, type(None)):
        return a == b
    if kind in (list, tuple):
        return _ts_items(a, b, exact)
    if kind is dict:
        if a.keys() != b.keys() or ([type(key) for key in a] != [type(key) for key in b] and exact):
            return False
        return all(_ts_same(value, b[key], exact) for key, value in a.items())
    if kind in (set, frozenset):
        return a == b
    if kind.__module__.split(".")[0] == "numpy" and kind.__name__ == "ndarray" and a.dtype.kind in "fciu":
        if a.shape != b.shape or b.dtype.kind not in "fciu":
            return False
        return all(_ts_close(x, y) for x, y in zip(a.ravel().tolist(), b.ravel().tolist()))
    return _ts_text(a)[0] == _ts_text(b)[0]


def _ts_items(a, b, exact):
    return len(a) == len(b) and all(_ts_same(x, y, exact) for x, y in zip(a, b))


def _ts_close(a, b):
    if a == b:
        return True
    if type(a) is int and type(b) is int:
        return False
    if type(a) is complex or type(b) is complex:
        return abs(a - b) <= 1e-6 + 1e-6 * abs(a)
    if a != a or b != b:
        return a != a and b != b
    if _ts_math.isinf(a) or _ts_math.isinf(b):
        return False
    return abs(a - b) <= 1e-6 + 1e-6 * abs(a)


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


def _ts_plain_types(value):
    kind = type(value)
    if kind in (str, int, float, bool, bytes, type(None)):
        return True
    if kind in (list, tuple, set, frozenset):
        return all(map(_ts_plain_types, value))
    return kind is dict and all(_ts_plain_types(key) and _ts_plain_types(item) for key, item in value.items())


def _ts_call(entry, forget, make, mutant, limit, seconds, timer):
    """Run one mutant on one input: (status, value)."""
    global _ts_M, _ts_ticks, _ts_limit
    given = make()
    _ts_M, _ts_ticks, _ts_limit = mutant, 0, limit
    try:
        forget()
        timer(seconds)
        value = entry(**given) if type(given) is dict else entry(*given)
        timer(0)
        return 0, value
    except _TsBudget:
        return 2, None
    except BaseException:
        return 1, None
    finally:
        timer(0)
        _ts_M = 0


def _ts_mutate(inputs, plan, enough, exact, spare, seconds):
    """Find killers of mutants.

    Args:
        inputs: Inputs on which the original returns.
        plan: For each mutant its number, the places of the inputs that are all tried, and those tried after them.
        enough: A mutant with so many killers is not tried on the second kind of inputs any more.
        exact: Whether kinds count.
        spare: Steps that a mutant may take beyond 20 times the original's.
        seconds: CPU-seconds that one call may take.

    Returns one list per mutant: its number, the places of its killers, and how many inputs were tried.
    """
    entry = globals()[_ts_ENTRY]
    forget = _ts_forgetter(entry)
    timer = _ts_timer()
    out, err = _ts_sys.stdout, _ts_sys.stderr
    _ts_sys.stdout = _ts_sys.stderr = _ts_io.StringIO()
    makers = [_ts_maker(given) for given in inputs]
    originals = {}
    answers = []
    try:
        for mutant, always, later in plan:
            killers, tried, slow = [], 0, 0
            for turn, place in enumerate([*always, *later]):
                if turn >= len(always) and len(killers) >= enough:
                    break
                if place not in originals:
                    status, value = _ts_call(entry, forget, makers[place], 0, 200000, seconds, timer)
                    originals[place] = (status, value, _ts_ticks)
                status, expected, steps = originals[place]
                if status:
                    continue
                tried += 1
                status, value = _ts_call(entry, forget, makers[place], mutant, spare + 20 * steps, seconds, timer)
                if status or not _ts_same(expected, value, exact):
                    killers.append(place)
                    # A mutant that does not end costs much on every input, and fails every suite.
                    slow += status == 2
                    if slow >= 3:
                        break
            answers.append([mutant, killers, tried])
    finally:
        _ts_sys.stdout, _ts_sys.stderr = out, err
    return answers


def _ts_witness(inputs, mutants, exact, seconds):
    """Tell for each mutant on which inputs its place gives another value than the original's.

    The program must be the witness form of the mutants. Returns [mutant, places of infected inputs, inputs that came to
    the mutant's place] lists.
    """
    global _ts_infected, _ts_came, _ts_exact
    _ts_exact = exact
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
                _ts_call(entry, forget, make, mutant, 200000, seconds, timer)
                came += _ts_came
                if _ts_infected:
                    infected.append(place)
            answers.append([mutant, infected, came])
    finally:
        _ts_sys.stdout, _ts_sys.stderr = out, err
    return answers
