"""Where an error may be caught, that a block's work was done is a branch: a function that only ever fails shows it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.unreachable import unreachable_reason
from pbt_generator.ports import Harness
from pbt_generator.usecases.build import Candidate, RefusedSuite, Workshop, build_suite

# Every function gives the number in a text, or what it gives for none; "x" is none.
NONE, NUMBERS = ["x"], ["4"]
CAUGHT = {
    "one statement": "try:\n        return int(x)\n    except ValueError:\n        return -1",
    "the last of several": (
        "try:\n        y = x.strip()\n        n = int(y)\n    except ValueError:\n        n = 0\n    return n"
    ),
    "an arm": (
        "n = 0\n    try:\n        if x:\n            n = int(x)\n        else:\n            n = len(x)\n"
        "    except ValueError:\n        pass\n    return n"
    ),
    "a way out of an arm": (
        "try:\n        if len(x) < 9:\n            return int(x)\n        return len(x)\n"
        "    except ValueError:\n        return 0"
    ),
    "a round": (
        "n = 0\n    for y in [x]:\n        try:\n            n = int(y)\n            continue\n"
        "        except ValueError:\n            pass\n    return n"
    ),
    "a loop": (
        "n = 0\n    try:\n        for y in [x]:\n            n += int(y)\n"
        "    except ValueError:\n        pass\n    return n"
    ),
    "an attempt in another one": (
        "try:\n        try:\n            return int(x)\n        finally:\n            x = ''\n"
        "    except ValueError:\n        return 0"
    ),
    "one of two values": (
        "try:\n        return int(x) if 0 < len(x) < 9 else len(x)\n    except ValueError:\n        return 0"
    ),
    "a helper": "try:\n        return number(x)\n    except ValueError:\n        return 0",
    "what is suppressed": "with suppress(ValueError):\n        return int(x)\n    return 0",
    "several that are suppressed": (
        "with suppress(*ERRORS, KeyError):\n        n = int(x)\n        return n\n    return 0"
    ),
}
HEAD = """
from contextlib import suppress
ERRORS = [ValueError]
def number(x):
    if len(x) < 9:
        return int(x)
    return len(x)
def f(x):
    """


def reached(source: str, harness: Harness, *given: str) -> tuple[set[str], set[str]]:
    """Branches of the function that inputs reach by returning, and all of them, as number, line and outcome."""
    found = instrument(source, "f")
    space: dict[str, object] = {"__name__": "candidate"}
    exec(compile(with_harness(found.source, "f", harness.explore), "program", "exec"), space)
    explore = space["_ts_explore"]
    assert isinstance(explore, Callable)
    rows = explore([[each] for each in given], [], 20_000)
    hits = {number for row in rows if row[0] == 0 for number in row[1]}
    first = source[: source.index("def f(")].count("\n") + 1
    names = {goal.number: f"{goal.number} {goal.line} {goal.outcome}" for goal in found.branches if goal.line > first}
    helpers = {
        goal.number: f"{goal.number} {goal.line} {goal.outcome}" for goal in found.branches if goal.line <= first
    }
    every = names | (helpers if "number(x)" in source[source.index("def f(") :] else {})
    return {name for number, name in every.items() if number in hits}, set(every.values())


@pytest.mark.parametrize("body", CAUGHT.values(), ids=CAUGHT)
def test_work_that_always_fails_is_no_branch_that_is_covered(body: str, harness: Harness) -> None:
    source = HEAD + body + "\n"
    failing, every = reached(source, harness, *NONE, "", "123456789x")
    assert any(name.endswith(("completed", "made")) for name in every - failing)
    done, every = reached(source, harness, *NONE, *NUMBERS, "", "1234567890")
    assert done == every


ANSWERED = """
class Own:
    def __init__(self, x):
        self.x = x
    @property
    def size(self):
        return self.x.number if hasattr(self.x, "none") else self.least.least
def f(x):
    return getattr(Own(x), "size", 0)
"""


def test_work_that_fails_for_an_answer_of_the_language_is_no_branch_that_is_covered() -> None:
    goals = instrument(ANSWERED, "f").branches
    ends = [goal.outcome for goal in goals if goal.outcome.endswith(("completed", "made"))]
    assert ends == ["true made", "false made", "completed"]
    kept = ANSWERED.replace("@property", "@staticmethod").replace("getattr(Own(x), 'size', 0)", "Own(x).size(x)")
    assert not [goal for goal in instrument(kept, "f").branches if goal.outcome == "completed"]


def test_what_is_suppressed_is_a_branch(harness: Harness) -> None:
    source = HEAD + CAUGHT["what is suppressed"]
    some, every = reached(source, harness, *NUMBERS)
    assert {name.split()[2] for name in every - some} == {"suppressed"}


NOTHING_TO_DO = [
    # An error that leaves is no case: whoever returns has done all.
    "try:\n        return int(x)\n    except ValueError as error:\n        raise KeyError(x) from error",
    "try:\n        return int(x)\n    finally:\n        x = ''",
    "with open(x) as file:\n        return file.read()",
    "return int(x)",
    # What cannot fail is done where it is come to, and no input decides whether there is a module.
    "try:\n        pass\n    except ValueError:\n        return 1\n    return 2",
    "try:\n        import nowhere_at_all\n    except ImportError:\n        nowhere_at_all = None\n    return x",
    "try:\n        raise ValueError(x)\n    except ValueError:\n        return 1",
]


@pytest.mark.parametrize("body", NOTHING_TO_DO)
def test_what_is_done_wherever_it_is_come_to_is_no_branch_of_its_own(body: str) -> None:
    assert not [goal for goal in instrument(HEAD + body, "f").branches if goal.outcome == "completed" and goal.line > 7]


@pytest.mark.parametrize(
    "manager", ["try:\n        {}\n    except ValueError:\n        return 0", "with suppress(ValueError):\n        {}"]
)
def test_work_behind_which_everything_raises_is_reached_by_what_raises(manager: str) -> None:
    source = HEAD + manager.format("if x == '':\n            return x\n        int(x)") + "\n    raise KeyError(x)\n"
    ends = {goal.outcome: goal.raises for goal in instrument(source, "f").branches if goal.line > 7}
    assert ends.pop("completed") and ends.pop("suppressed", True)
    returned = HEAD + manager.format("return int(x)") + "\n    raise KeyError(x)\n"
    assert not next(
        goal for goal in instrument(returned, "f").branches if goal.outcome == "completed" and goal.line > 7
    ).raises


TEXTS = {"x": frozenset({"str"}), "y": frozenset({"str", "dict"})}


@pytest.mark.parametrize(
    ("work", "proved"),
    [
        ("return x.decode()", True),
        ("z = len(x.decode('ascii'))\n        return z + 1", True),
        ("return x.upper()", False),
        ("return y.items()", False),
        ("return y.decode()", True),
        ("return z.decode()", False),
        ("x = g(x)\n        return x.decode()", False),
        ("return y and x.decode()", False),
        ("if y:\n            return x.decode()\n        return g(y)", False),
        ("return [each.decode() for each in x]", False),
        ("return x.decode() if y else g(y)", False),
    ],
)
def test_work_that_no_value_of_the_known_kinds_lets_end_is_proved_to_be_none(work: str, *, proved: bool) -> None:
    source = f"def f(x, y, z=0):\n    try:\n        {work}\n    except AttributeError:\n        return 0\n"
    (*_, last) = [goal for goal in instrument(source, "f").branches if goal.outcome == "completed"]
    reason = unreachable_reason(source, "f", last.line, last.kind, last.outcome, TEXTS)
    assert bool(reason) is proved


def test_what_stands_behind_work_that_only_fails_is_proved_as_well() -> None:
    source = (
        "def f(x, y):\n    try:\n        z = x.decode()\n    except AttributeError:\n        return 0\n"
        "    else:\n        return z\n"
    )
    assert unreachable_reason(source, "f", 7, "try", "entered", TEXTS)
    values = (
        "def f(x, y):\n    try:\n        return x.decode() if y else g(x)\n    except ValueError:\n        return 0\n"
    )
    outcomes = [goal.outcome for goal in instrument(values, "f").branches if goal.outcome.endswith("made")]
    assert [bool(unreachable_reason(values, "f", 3, "ternary", each, TEXTS)) for each in outcomes] == [True, False]


UNPACKED = '''
def unpacked(data: str) -> str:
    """The text that is packed in data, or data in small letters where nothing is packed in it."""
    try:
        return zlib.decompress(base64.b64decode(data)).decode()
    except Exception:
        return data.strip().lower()
'''


async def test_no_suite_is_certified_of_which_no_case_comes_past_what_fails(workshop: Workshop) -> None:
    candidate = Candidate("id", "unpacked", "unpacked", UNPACKED.strip(), ("import base64", "import zlib"), "WSC")
    built = await build_suite(candidate, workshop)
    assert isinstance(built, RefusedSuite) and "return zlib.decompress" in built.refusal.detail
