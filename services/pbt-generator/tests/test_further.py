"""Cases of chance behind the chosen ones: what no mutant stands for is told apart by some of many inputs."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

import pytest

from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.runs import Run
from pbt_generator.domain.oracle.selection import MAX_CASES, allowed_share
from pbt_generator.ports import Harness, Sandbox
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite
from pbt_generator.usecases.explore import Effort, Explorer
from pbt_generator.usecases.further import MAX_FURTHER, further
from pbt_generator.usecases.replaying import Replayer

INITIALS = '''
def initials(name: str) -> str:
    """The first letters of the words of a name, in capitals."""
    return "".join(word[0].upper() for word in name.split())
'''
SIGN = """
def sign(n: int) -> int:
    if n < 0:
        return -1
    return 1 if n else 0
"""


async def searched(source: str, name: str, sandbox: Sandbox, harness: Harness, seed: int = 7) -> Explorer:
    program = read_program(source, (), name)
    explorer = Explorer(
        sandbox, harness, instrument(program.source, name), name, input_shape(program), seed,
        portable=True, effort=Effort(),
    )  # fmt: skip
    await explorer.search()
    return explorer


async def test_many_inputs_that_the_search_did_not_draw_become_cases(sandbox: Sandbox, harness: Harness) -> None:
    explorer = await searched(INITIALS, "initials", sandbox, harness)
    chosen, odd = explorer.found.returned[:200], [run.text for run in explorer.found.returned[200:220]]
    before = len(explorer.found.runs), set(explorer.found.texts), Counter(explorer.found.reached)
    found = await further(explorer, chosen, odd)
    assert 500 < len(found) <= MAX_FURTHER
    texts = [run.text for run in found]
    assert len(set(texts)) == len(texts) and not {run.text for run in chosen} & set(texts) and not set(odd) & set(texts)
    assert not any(run.strange for run in found)
    assert any(text not in explorer.found.texts for text in texts), "inputs of other seeds"
    assert any(text in explorer.found.texts for text in texts), "what was run and not chosen"
    assert texts == sorted(texts, key=lambda text: hashlib.sha256(text.encode()).digest())
    # The search learnt nothing of them, and another time they are the same.
    assert (len(explorer.found.runs), explorer.found.texts, explorer.found.reached) == before
    again = await searched(INITIALS, "initials", sandbox, harness)
    assert [run.text for run in await further(again, again.found.returned[:200], odd)] == texts


async def test_nothing_is_made_of_what_programs_are_seldom_written_for(sandbox: Sandbox, harness: Harness) -> None:
    explorer = await searched(INITIALS, "initials", sandbox, harness)
    before = len(explorer.found.returned)
    await explorer.run([(f"{first}\x1f{last}",) for first in "abcdef" for last in "uvwxyz"])
    odd = [run.text for run in explorer.found.returned[before:]]
    assert odd and not any("\x1f" in str(run.given[0]) for run in explorer.found.returned[:before])
    found = await further(explorer, explorer.found.returned[:50], odd)
    assert found and not any("\x1f" in str(run.given[0]) for run in found)


async def test_no_result_takes_more_than_its_share(sandbox: Sandbox, harness: Harness) -> None:
    explorer = await searched(SIGN, "sign", sandbox, harness)
    chosen = [run for run in explorer.found.returned if run.text.strip("[]").isdigit()][:9]
    found = [*chosen, *await further(explorer, chosen, ())]
    counts = Counter(run.mark for run in found)
    assert len(found) > len(chosen) and max(counts.values()) <= allowed_share(len(counts)) * len(found) + 1


async def test_what_is_long_or_of_another_kind_is_none(sandbox: Sandbox, harness: Harness) -> None:
    explorer = await searched(INITIALS, "initials", sandbox, harness)
    chosen = explorer.found.returned[:60]
    explorer.found.returned += [
        Run(("a" * 2500,), '["' + "a" * 2500 + '"]', 0, frozenset(), (), 1, 0, "", 1, 3),
        Run(("b",), '["b"]', 0, frozenset(), (), 2, 0, "", 1, 5000),
        Run((5,), "[5]", 0, frozenset(), (), 3, 0, "", 1, 3, strange=True),
    ]
    found = await further(explorer, chosen, ())
    assert found and not {run.mark for run in found} & {1, 2, 3}


async def test_all_of_them_fit_into_one_program(sandbox: Sandbox, harness: Harness) -> None:
    explorer = await searched(INITIALS, "initials", sandbox, harness)
    long = [f"{place:04} {'ab ' * 600}" for place in range(900)]
    explorer.found.returned += [
        Run((text,), json.dumps([text]), 0, frozenset(), (), 10**6 + place, 0, "", 1, 600)
        for place, text in enumerate(long)
    ]
    found = await further(explorer, explorer.found.returned[:60], ())
    assert 200 < len(found) <= MAX_FURTHER and sum(len(run.text) + run.size for run in found) <= 600_000


async def test_more_of_what_nobody_stands_for_is_told_apart(workshop: Workshop) -> None:
    built = await build_suite(Candidate("f", "initials", "m.initials", INITIALS.strip(), (), "SC"), workshop)
    assert isinstance(built, BuiltSuite)
    assert 2 * MAX_CASES < len(built.cases) <= MAX_CASES + MAX_FURTHER
    # Each rest stands for a wrong program that differs on one text of some thousand.
    rests = [sum(map(ord, json.loads(case.arguments)[0])) % 3001 for case in built.cases]
    assert len(set(rests)) > 1.7 * len(set(rests[:MAX_CASES]))
    assert built.certificate.holds and len(built.rank) == len(built.cases)


async def test_a_suite_that_takes_long_has_none_of_them(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbt_generator.usecases.replaying.LONG_S", 0.0)
    built = await build_suite(Candidate("f", "initials", "m.initials", INITIALS.strip(), (), "SC"), workshop)
    assert isinstance(built, BuiltSuite) and 12 <= len(built.cases) <= MAX_CASES and built.certificate.holds


async def test_no_function_is_refused_for_them(sandbox: Sandbox) -> None:
    program = read_program(INITIALS, (), "initials")

    def run(place: int, given: str) -> Run:
        return Run((given,), json.dumps([given]), 0, frozenset(), (), place, 0, "", 1, 3)

    right = [run(place, "a" * (place + 1)) for place in range(12)]
    failing = [Run((place,), f"[{place}]", 0, frozenset(), (), place, 0, "", 1, 3) for place in range(5)]
    replayer = Replayer(sandbox, portable=True)
    assert [each for each, _ in (await replayer.replay(program, right, right[:2])).kept] == [*right, *right[:2]]
    replayed = await replayer.replay(program, right, failing)
    assert [each for each, _ in replayed.kept] == right and not replayed.fails
    assert (await replayer.replay(program, [*right, *failing])).fails
