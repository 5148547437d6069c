"""What lies outside of a domain stands in a track of its own, in no suite and in no score."""

from __future__ import annotations

import json

from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite
from pbt_generator.usecases.explore import Effort

CODE = (
    "def season(month: int, south: bool = False) -> str:\n"
    "    names = ['winter', 'spring', 'summer', 'autumn']\n"
    "    place = month % 12 // 3\n"
    "    return names[(place + 2) % 4] if south else names[place]\n"
)


async def test_inputs_outside_are_kept_apart(workshop: Workshop) -> None:
    effort = Effort(drawn=30, batch=160, chunk=80, least_rounds=1, most_rounds=8, pool=200)
    shop = Workshop(workshop.sandbox, workshop.harness, workshop.freezer, effort=effort)
    calls = ("season(1)", "season(7, True)")
    built = await build_suite(Candidate("id", "season", "season", CODE, (), "SC", calls=calls), shop)
    assert isinstance(built, BuiltSuite), built.refusal.words
    inputs = built.certificate.inputs
    assert (inputs.real, inputs.real + inputs.near + inputs.inferred) == (2, len(built.cases))
    assert [built.rank.count(0), built.rank.count(1)] == [inputs.real, inputs.near]
    assert all(1 <= json.loads(case.arguments)[0] <= 12 for case in built.cases)
    track, suite = inputs.robustness, built.robustness.suite
    assert suite is not None and track.suite_digest == suite.digest != built.suite.digest
    assert track.cases > 0 and {error for _, error in track.refused} == {"TypeError"}
    outside = {case for case, _ in shop.freezer.open(suite.data).cases}
    assert any(json.loads(text)[0] in (0, 13) for text in outside)
    assert not outside & {case.arguments for case in built.cases}
    # The track changes nothing about the suite's own figures.
    assert built.certificate.to_dict()["inputs"]["domain"]["month"][-1]["source"] == "inferred"
