"""`touchstone index`."""

import json


def info(pb, *, built=True):
    mini = pb.GenerationModel(name="mini", identity="mini:1")
    first = pb.IndexGeneration(
        name="g-1", models=[mini], text_form="code-1", active=True, made_at="2026-01-01T00:00:00"
    )
    newer = [pb.GenerationModel(name="mini"), pb.GenerationModel(name="big", identity="big:2")]
    second = pb.IndexGeneration(
        name="g-2", models=newer, text_form="code-2", current=True, lacking=3, weights={"mini": 1.0, "text": 0.5}
    )
    return pb.IndexInfo(generations=[first, second] if built else [], indexed=4 * built, superseded=1 * built)


def test_generations_are_shown_with_what_they_lack(touchstone, world):
    pb = world.pb.retriever
    world.answers["DescribeIndex"] = lambda _request: pb.DescribeIndexResponse(index=info(pb))
    done = touchstone("index", "status")
    first, second = [line.split("\t") for line in done.out.splitlines()[1:]]
    assert first[:5] == ["g-1", "answers", "mini:1", "code-1", "0"]
    assert second[:5] == ["g-2", "is built", "mini (weights unknown), big:2", "code-2", "3"]
    assert "4 codes are indexed, 1 of them replaced" in done.err
    told = json.loads(touchstone("index", "status", "--json").out)
    assert (told["indexed"], told["generations"][1]["weights"]) == (4, {"mini": 1.0, "text": 0.5})
    world.answers["DescribeIndex"] = lambda _request: pb.DescribeIndexResponse(index=info(pb, built=False))
    assert "no generation yet" in touchstone("index", "status").err
    for memory, shown in (("", False), ("off", False), ("7 codes in 1 of 64 MiB", True)):
        held = info(pb)
        held.memory = memory
        world.answers["DescribeIndex"] = lambda _request, held=held: pb.DescribeIndexResponse(index=held)
        assert (f"held in memory: {memory}" in touchstone("index", "status").err) == shown


def test_codes_that_get_no_vector_are_told_and_keep_a_generation_from_being_whole_no_more(touchstone, world):
    pb = world.pb.retriever
    for left_out, state in ((2, "is built"), (3, "whole")):
        index = info(pb)
        index.generations[1].left_out = left_out
        world.answers["DescribeIndex"] = lambda _request, index=index: pb.DescribeIndexResponse(index=index)
        done = touchstone("index", "status")
        assert done.out.splitlines()[2].split("\t")[1] == state
        assert f"{left_out} codes get no vector of g-2: they were given back" in done.err and "dlq list" in done.err


def test_what_comes_later_is_told_with_its_share_and_the_time_left_and_what_is_missing_with_the_way_out(
    touchstone, world
):
    pb = world.pb.retriever

    def told(**later):
        index = info(pb)
        index.missing.add(name="tiny", reason="there is no such folder (fetch it)")
        index.later.MergeFrom(pb.IndexLater(models=["big"], **later))
        world.answers["DescribeIndex"] = lambda _request: pb.DescribeIndexResponse(index=index)
        return touchstone("index", "status").err

    assert "goes on without tiny: there is no such folder (fetch it)" in told()
    for later, words in (
        ({}, "big: 0 of 0 functions, about 0 s left; waits until"),
        ({"total": 8000, "left_s": -1}, "big: 0 of 8,000 functions, 0 %, how long it takes is not known yet; waits"),
        (
            {"done": 2000, "total": 8000, "left_s": 3720, "rests": True},
            "big: 2,000 of 8,000 functions, 25 %, about 1 h 2 min left; goes on",
        ),
        ({"done": 1, "total": 1, "rests": True}, "big: 1 of 1 function, 100 %; what is new follows"),
    ):
        assert words in told(**later)


def test_generations_are_switched_and_dropped_by_name(touchstone, world):
    pb = world.pb.retriever
    world.answers["SwitchIndex"] = lambda _request: pb.SwitchIndexResponse(index=info(pb))
    world.answers["DropIndex"] = lambda _request: pb.DropIndexResponse(index=info(pb))
    assert touchstone("index", "switch", "g-1", "--anyway").code == 0
    assert touchstone("index", "switch", "--newest").code == 0
    asked = [(request.generation, request.anyway) for request in world.asked("SwitchIndex")]
    assert asked == [("g-1", True), ("", False)]
    for wrong in ((), ("g-1", "--newest")):
        assert touchstone("index", "switch", *wrong).code == 2
    assert touchstone("index", "drop", "g-2", "--json").code == 0
    assert world.asked("DropIndex")[0].generation == "g-2"


def test_a_build_is_begun_and_waited_for(touchstone, world, monkeypatch):
    pb = world.pb.retriever
    monkeypatch.setattr("touchstone_cli.index._LOOK_EVERY_S", 0.0)
    going = info(pb)
    going.build.taken, going.build.left = 7, -1
    further = info(pb)
    further.build.taken, further.build.left = 9, 1
    states = [further, info(pb)]
    world.answers["BuildIndex"] = lambda _request: pb.BuildIndexResponse(index=going)
    world.answers["DescribeIndex"] = lambda _request: pb.DescribeIndexResponse(index=states.pop(0))
    done = touchstone("index", "build")
    assert done.code == 0 and "7 events taken in" in done.err and len(states) == 2
    done = touchstone("index", "build", "--wait")
    assert "9 events taken in, 1 message is left" in done.err and done.out.startswith("generation") and not states
