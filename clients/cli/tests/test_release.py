"""`touchstone release` against a generator that answers as told, and on an exported folder."""

import hashlib
import json

import grpc
import pytest

from touchstone_cli.errors import CliError
from touchstone_cli.release import exported_folder
from touchstone_cli.release_files import is_inside, write_export
from touchstone_cli.release_verify import Verification
from touchstone_contracts.task_releases import retractions_digest

TASKS = [("aaaa1111", "clamp"), ("bbbb2222", "chunk")]


@pytest.fixture
def release(world):
    return world.pb.generator.Release(
        name="2026-06", digest="d" * 64, manifest_digest="e" * 64, tasks=2, retracted=1,
        created_at="2026-06-01T10:00:00+00:00",
    )  # fmt: skip


def manifest():
    entry = {"kind": "SC", "difficulty": "Easy", "cases": 40, "mutation_score": 0.97, "licence": None}
    source = {"name": "wordkit", "version": "1.0"}
    tasks = [{**entry, "task_id": task_id, "entry_point": name, "source": source} for task_id, name in TASKS]
    counts = {"tasks": 2, "cases": 80, "by_kind": {"SC": 2}, "by_difficulty": {"Easy": 2}}
    return {"tasks": tasks, "counts": {**counts, "by_language": {"go": 2}, "by_licence": {"unknown": 2}}}


# -- create, list, show -------------------------------------------------------------------------------------------


def test_a_release_is_created_from_filters(touchstone, world, release):
    world.answers["CreateRelease"] = world.pb.generator.CreateReleaseResponse(release=release, already=True)
    world.answers["GetRelease"] = world.pb.generator.GetReleaseResponse(manifest_json=json.dumps(manifest()))
    done = touchstone(
        "release", "create", "2026-06", "--kind", "sc", "--language", "go", "--language", "java,python",
        "--since", "2026-01-01", "--tasks", "aa,bb",
    )  # fmt: skip
    assert done.out == f"2026-06: 2 tasks, digest {'d' * 64}\n" and "It was there before" in done.err
    (request,) = world.asked("CreateRelease")
    assert (request.name, request.kind, request.since) == ("2026-06", "SC", "2026-01-01")
    assert (list(request.languages), list(request.task_ids)) == (["go", "java", "python"], ["aa", "bb"])
    answer = json.loads(touchstone("release", "create", "2026-06", "--json").out)
    assert (answer["digest"], answer["already"]) == ("d" * 64, True)


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("git", "https://example.org/a.git", ""),
        ("package", "wordkit", ""),
        ("folder", "/home/me/shop", "2 tasks hold code that others do not get elsewhere, of folder /home/me/shop"),
        ("archive", "/home/me/shop.zip", "of archive /home/me/shop.zip"),
        ("git", "/home/me/shop", "of git /home/me/shop"),
        ("git", "ssh://git@example.org/shop", "of git ssh://git@example.org/shop"),
    ],
)
def test_a_release_of_code_that_others_do_not_get_says_so(touchstone, world, release, kind, name, told):
    """When it is made and whenever it is shown, also where its manifest is of before and does not say so itself."""
    frozen = manifest()
    for task in frozen["tasks"]:
        task["source"] = {"kind": kind, "name": name, "version": "1.0"}
    world.answers["CreateRelease"] = world.pb.generator.CreateReleaseResponse(release=release)
    world.answers["GetRelease"] = world.pb.generator.GetReleaseResponse(
        release=release, manifest_json=json.dumps(frozen)
    )
    for command in ("create", "show"):
        err = touchstone("release", command, "2026-06").err
        assert told in err and ("warning: " in err) is bool(told)
        own = json.loads(touchstone("release", command, "2026-06", "--json").out)["own_sources"]
        assert own == ([{"kind": kind, "name": name, "tasks": 2}] if told else [])


@pytest.mark.parametrize(
    "words",
    [
        "a: there is a release of this name with other content (choose another name)",
        "zz: no task has this id (see `touchstone tasks list`)",
        "task 12: suite 9f is missing: blob 9f/9f (bring it back)",
    ],
)
def test_what_the_generator_refuses_is_one_line(touchstone, world, words):
    world.answers["CreateRelease"] = (grpc.StatusCode.INVALID_ARGUMENT, words)
    done = touchstone("release", "create", "a")
    assert (done.code, done.out, done.err) == (1, "", words + "\n")


def test_releases_are_listed(touchstone, world, release):
    world.answers["ListReleases"] = world.pb.generator.ListReleasesResponse(releases=[release])
    (listed,) = json.loads(touchstone("release", "list", "--json").out)
    assert (listed["name"], listed["retracted"]) == ("2026-06", 1)
    assert "2026-06\t2\t1\t2026-06-01T10:00:00" in touchstone("release", "list").out
    world.answers["ListReleases"] = world.pb.generator.ListReleasesResponse()
    assert "touchstone release create" in touchstone("release", "list").err


def test_a_release_is_shown_with_what_was_retracted(touchstone, world, release):
    note = world.pb.generator.Retraction(task_id=TASKS[1][0], note="it [rounds]")
    world.answers["GetRelease"] = world.pb.generator.GetReleaseResponse(
        release=release, manifest_json=json.dumps(manifest()), retractions=[note]
    )
    shown = touchstone("release", "show", "2026-06")
    lines = shown.out.splitlines()
    assert lines[1].endswith("\t40\t97%\t") and lines[2].endswith("retracted: it [rounds]")
    assert "unknown" in lines[1] and "by licence: unknown 2" in shown.err
    # What an exported folder says of itself is compared with it.
    digest = retractions_digest({TASKS[1][0]: "it [rounds]"})
    assert f"retractions {digest}" in shown.err
    answer = json.loads(touchstone("release", "show", "2026-06", "--json").out)
    assert answer["retractions_digest"] == digest
    assert answer["manifest"] == manifest() and answer["retractions"] == {TASKS[1][0]: "it [rounds]"}


# -- verify -------------------------------------------------------------------------------------------------------


def verified(world, *problems):
    pb = world.pb.generator
    return [
        pb.VerifyReleaseResponse(
            task_id=task_id, entry_point=name, done=number, total=2, trials=16, cpu_s=0.5, problems=lines
        )
        for number, ((task_id, name), lines) in enumerate(zip(TASKS, problems, strict=True), 1)
    ]


def test_verification_says_what_was_replayed(touchstone, world):
    world.answers["VerifyRelease"] = lambda request: iter(verified(world, [], []))
    done = touchstone("release", "verify", "2026-06", "--language", "go")
    assert done.code == 0, done.err
    assert done.out == "2026-06: verified, 2 of 2 tasks, 32 programs replayed, 1.0 CPU-seconds\n"
    assert list(world.asked("VerifyRelease")[0].languages) == ["go"]


def test_each_task_that_fails_is_one_line(touchstone, world):
    about = world.pb.generator.VerifyReleaseResponse(total=2, problems=["java: not replayed"])
    differs = "suite has the digest 1, the manifest says 2"
    world.answers["VerifyRelease"] = lambda request: iter([about, *verified(world, [], [differs, "x"])])
    done = touchstone("release", "verify", "2026-06")
    assert (done.code, done.err) == (1, f"java: not replayed\nbbbb2222 chunk: {differs}; x\n")
    assert "NOT verified, 1 of 2 tasks" in done.out and "1 more problem," in done.out
    done = touchstone("release", "verify", "2026-06", "--json")
    answer = json.loads(done.out)
    assert (done.code, answer["verified"], answer["failed"], answer["problems"]) == (
        1,
        False,
        1,
        ["java: not replayed"],
    )
    assert [result["verified"] for result in answer["results"]] == [True, False]


def test_a_verification_that_breaks_off_is_no_success(touchstone, world):
    world.answers["VerifyRelease"] = lambda request: iter(verified(world, [], [])[:1])
    assert touchstone("release", "verify", "2026-06").code == 1
    world.answers["VerifyRelease"] = (
        grpc.StatusCode.UNAVAILABLE,
        "127.0.0.1:1: the sandbox-executor is not reachable (see `touchstone status`)",
    )
    done = touchstone("release", "verify", "2026-06")
    assert (done.code, done.out) == (1, "")
    assert done.err == "127.0.0.1:1: the sandbox-executor is not reachable (see `touchstone status`)\n"


def test_long_verifications_tell_how_long_they_take():
    now = [0.0]
    found = Verification("r", clock=lambda: now[0])
    lines = []
    for number in range(1, 101):
        now[0] += 1.0
        lines += found.take(
            {"task_id": str(number), "entry_point": "f", "done": number, "total": 100, "trials": 1, "cpu_s": 0.1}
            | {"problems": [], "retracted": "wrong" if number == 3 else ""}
        )
    assert lines[0] == "15 of 100 tasks verified, 60 a minute, about 1 min 25 s left"
    assert len(lines) == 6 and found.verified
    assert found.words().endswith("; 1 retracted since")


def test_what_lies_in_a_folder_beside_the_release_is_data_of_its_own():
    found = Verification("./out")
    line = "./out/.DS_Store is a file that is no part of the release"
    about = {"task_id": "", "total": 1, "problems": [line], "strays": [".DS_Store"]}
    assert found.take(about) == [line] and not found.verified
    assert (found.to_dict()["problems"], found.to_dict()["strays"]) == ([line], [".DS_Store"])


def test_what_a_folder_takes_back_is_its_own_word_and_has_a_digest():
    found = Verification("./out")
    digest = retractions_digest({"a": "wrong"})
    found.take({"task_id": "", "total": 1, "problems": [], "strays": [], "retractions": digest})
    found.take(
        {"task_id": "a", "entry_point": "f", "done": 1, "total": 1, "trials": 1, "cpu_s": 0.1, "problems": []}
        | {"retracted": "wrong"}
    )
    assert found.verified and found.to_dict()["retractions"] == digest
    assert found.words().endswith(f"; 1 retracted by this folder, not proved here: retractions {digest}")
    # What else is said of the whole says nothing of them.
    found.take({"task_id": "", "total": 1, "problems": ["java: not replayed"]})
    assert found.to_dict()["retractions"] == digest and digest in found.words()


def test_a_folder_is_told_from_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    export = tmp_path / "2026-06"
    export.mkdir()
    assert exported_folder("2026-06") is None
    (export / "manifest.json").write_text("{}")
    assert exported_folder("2026-06").resolve() == export
    assert exported_folder("./2026-06/manifest.json").resolve() == export
    assert exported_folder("other") is None
    with pytest.raises(CliError, match=r"\./nothing: no such folder"):
        exported_folder("./nothing")


def test_a_folder_without_a_release_is_one_line(touchstone, world, tmp_path, monkeypatch):
    # Somebody listens there, and is asked for nothing.
    monkeypatch.setenv("TOUCHSTONE_SANDBOX_ADDRESS", world.address)
    folder = tmp_path / "empty"
    folder.mkdir()
    done = touchstone("release", "verify", folder)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"{folder}: there is no manifest.json (name the folder that `release export` wrote)\n"


# -- export -------------------------------------------------------------------------------------------------------


ABOUT = json.dumps({"format": "parquet", "layout": 1, "release": "2026-06", "digest": "d" * 64}).encode()


def pieces(world, **files):
    pb = world.pb.generator
    files = {"export.json": ABOUT, **files}
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in files.items())
    for path, data in [*files.items(), ("SHA256SUMS", sums.encode())]:
        for start in range(0, max(1, len(data)), 4):
            yield pb.ExportReleaseResponse(path=path, data=data[start : start + 4])


def test_an_export_is_written_piece_by_piece(touchstone, world, tmp_path):
    files = {"a/b.txt": b"0123456789", "empty": b"", "c": b"x"}
    world.answers["ExportRelease"] = lambda request: pieces(world, **files)
    out = tmp_path / "new" / "out"
    done = touchstone("release", "export", "2026-06", "--out", out, "--format", "parquet")
    assert done.code == 0 and "5 files" in done.out and "release verify" in done.err
    assert {name: (out / name).read_bytes() for name in files} == files
    assert world.asked("ExportRelease")[0].format == "parquet"

    (out / "mine.txt").write_text("kept")
    again = touchstone("release", "export", "2026-06", "--out", out)
    assert (again.code, again.err) == (1, f"{out}: is not empty; name another folder, or add --force\n")
    world.answers["ExportRelease"] = lambda request: pieces(world, c=b"y")
    forced = touchstone("release", "export", "2026-06", "--out", out, "--force", "--json")
    assert json.loads(forced.out)["files"] == 3
    # The former export is gone, what is not its own is left alone.
    assert not (out / "a" / "b.txt").exists() and (out / "c").read_bytes() == b"y"
    assert (out / "mine.txt").read_text() == "kept"


def test_an_export_of_nothing_touches_nothing(touchstone, world, tmp_path):
    world.answers["ExportRelease"] = (grpc.StatusCode.NOT_FOUND, "x: no release has this name (see `release list`)")
    done = touchstone("release", "export", "x", "--out", tmp_path / "out")
    assert (done.code, done.err) == (1, "x: no release has this name (see `release list`)\n")
    assert not (tmp_path / "out").exists()
    assert touchstone("release", "export", "x", "--out", tmp_path / "out", "--format", "csv").code == 2


def test_no_path_leads_out_of_the_folder(world, tmp_path):
    assert [is_inside(path) for path in ("a/b", "../a", "/a", "a/../../b", "")] == [True, False, False, False, False]
    piece = world.pb.generator.ExportReleaseResponse(path="../evil", data=b"x")
    with pytest.raises(CliError, match="leads out of the folder"):
        write_export(tmp_path / "out", [piece], force=False)
    assert not (tmp_path / "evil").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(CliError, match="is a file"):
        write_export(tmp_path / "file", [piece], force=True)


def test_no_link_of_a_former_export_leads_out_of_the_folder(world, tmp_path):
    mine, out = tmp_path / "mine", tmp_path / "out"
    (mine / "__pycache__").mkdir(parents=True)
    (mine / "thesis").write_text("dear")
    out.mkdir()
    (out / "parts").symlink_to(mine)
    (out / "one").symlink_to(mine / "thesis")
    (out / "export.json").write_bytes(ABOUT)
    piece = world.pb.generator.ExportReleaseResponse
    for named, written in (("parts/thesis", "x"), ("one", "parts/new"), ("two", "parts/a/b")):
        (out / "SHA256SUMS").write_text(f"{hashlib.sha256(b'dear').hexdigest()}  {named}\n")
        with pytest.raises(CliError, match="a link leads out of"):
            write_export(out, [piece(path=written, data=b"x")], force=True)
    (out / "two").symlink_to(mine / "thesis")
    write_export(out, [piece(path="two", data=b"x"), piece(path="in/a", data=b"y")], force=True)
    assert (out / "two").read_bytes() == b"x" and not (out / "two").is_symlink()
    assert sorted(path.name for path in mine.iterdir()) == ["__pycache__", "thesis"]
    assert (mine / "thesis").read_text() == "dear"
    # A folder that is reached by a link is the one that was named.
    (tmp_path / "here").symlink_to(out)
    (out / "parts").unlink()
    assert write_export(tmp_path / "here", [piece(path="in/b", data=b"z")], force=True) == (1, 1)


# -- retract ------------------------------------------------------------------------------------------------------


def test_a_task_is_taken_back_with_a_note(touchstone, world):
    pb = world.pb.generator
    task = pb.Task(task_id="aaaa1111", entry_point="clamp", retracted="it rounds")
    world.answers["RetractTask"] = pb.RetractTaskResponse(task=task, already=True, releases=["2026-06"])
    done = touchstone("release", "retract", "aaaa", "--note", "it rounds")
    assert done.out == "aaaa1111 clamp: retracted: it rounds\n"
    assert "the first note stays" in done.err and "held by 2026-06" in done.err
    (request,) = world.asked("RetractTask")
    assert (request.task_id, request.note) == ("aaaa", "it rounds")
    assert json.loads(touchstone("release", "retract", "aaaa", "--note", "x", "--json").out)["releases"] == ["2026-06"]
    assert touchstone("release", "retract", "aaaa").code == 2
