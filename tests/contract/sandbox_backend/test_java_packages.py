"""Prepared archives of Java: named, proved and held to rules before a job finds them."""

import subprocess

import pytest

from sandbox_executor.adapters.hosting.layout import PACKAGE
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.adapters.toolchains.java import find_compiler
from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.domain.packages import PolicyError
from sandbox_executor.errors import JobRefusedError
from touchstone_local.settings import folders

STATE = folders().cache
ELF = b"\x7fELF" + b"\0" * 60

# What a POM may say that it needs, and no archive is called.
NAMELESS = {
    "artifact": "org.leaf:../../../tmp/x:1",
    "version": "org.leaf:leaf:../2.0",
    "classifier": "org.leaf:leaf:2.0:x/../../y",
    "long": f"org.leaf:{'x' * 200}:1",
}


def damaged(data, at, value):
    """An archive of whose one entry both heads have another number at a place."""
    changed = bytearray(data)
    for head, place in ((b"PK\x03\x04", at), (b"PK\x01\x02", at + 2)):
        start = data.index(head) + place
        changed[start : start + 2] = value.to_bytes(2, "little")
    return bytes(changed)


@pytest.fixture(scope="session")
def archives(index, tmp_path_factory):
    """Publishes archives of Java: one that needs another, and those that nobody should have."""
    folder = tmp_path_factory.mktemp("java")
    sources = {
        "org/leaf/Leaf.java": "package org.leaf; public class Leaf { public static int FIVE = 5; "
        'static { try { new java.io.File("/work/ran").createNewFile(); } catch (java.io.IOException e) {} } }',
        "org/tiny/Tiny.java": "package org.tiny; public class Tiny { public static int plus(int x) "
        "{ return x + org.leaf.Leaf.FIVE; } }",
    }
    for path, text in sources.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    java = Toolchains(STATE, PACKAGE / "harness", RuntimePaths())._runtime("java")
    command = [str(java.executable), "-jar", str(find_compiler(None, STATE)), "-21", "-d", str(folder / "out")]
    subprocess.run([*command, *(str(folder / path) for path in sources)], check=True)
    leaf, tiny = (
        {f"org/{name}/{name.title()}.class": (folder / f"out/org/{name}/{name.title()}.class").read_bytes()}
        for name in ("leaf", "tiny")
    )
    index.jar("org.leaf:leaf", "2.0", leaf, needs=["org.test:only:1"], scopes=("test",))
    index.jar("org.tiny:tiny", "1.0", tiny, needs=["org.leaf:leaf:2.0"])
    index.jar("org.bad:digest", "1", leaf, digest="0" * 40)
    index.jar("org.bad:unproved", "1", leaf, digest="none")
    index.jar("org.bad:moving", "1", {}, needs=["org.leaf:leaf:2.0-SNAPSHOT"])
    index.jar("org.bad:native", "1", {**leaf, "linux/libit.so": ELF})
    index.jar("org.bad:fresh", "1", leaf, days=1)
    index.jar(
        "org.bad:program", "1", {}, more="<build><plugins><plugin><groupId>x</groupId></plugin></plugins></build>"
    )
    index.jar("org.bad:elsewhere", "1", leaf)
    index.jar("org.bad:elf", "1", {**leaf, "linux/it": ELF})
    index.jar("org.bad:versioned", "1", {**leaf, "linux/libit.so.6": b"x"})
    for name, need in NAMELESS.items():
        index.jar(f"org.nameless:{name}", "1", leaf, needs=[need])
        group, artifact, version, *_ = need.split(":")
        index.jar(f"{group}:{artifact}", version, leaf)
    index.jar("org.kinds:kinds", "1", leaf, needs=["org.kinds:one:1", "org.kinds:one:1:linux"])
    index.jar("org.kinds:one", "1", leaf, also=["linux"])
    index.jar("org.twin:twin", "1", tiny, needs=["org.leaf.a:b:1", "org.leaf:a.b:1"])
    index.jar("org.leaf.a:b", "1", leaf)
    index.jar("org.leaf:a.b", "1", {"x.txt": b"x"})
    # A password is asked for, and a compression that nobody knows; each entry says so twice.
    index.jar("org.broken:password", "1", leaf, damage=lambda data: damaged(data, 6, 1))
    index.jar("org.broken:unknown", "1", leaf, damage=lambda data: damaged(data, 8, 77))
    inner = type(index)()
    index.sends_on("/maven/org/bad/elsewhere/1/elsewhere-1.jar", f"{inner.url}/secret.jar")
    yield inner
    inner.server.shutdown()


USES_TINY = "import org.tiny.Tiny;\nclass A { static int f(int x) { return Tiny.plus(x); } }"


def test_archives_of_java_are_imported_with_what_they_need(bench, prepare, archives):
    answer = prepare("java", "org.tiny:tiny")
    assert answer.ready, answer.detail
    assert [(x.name, x.version, len(x.sha256)) for x in answer.packages] == [
        ("org.leaf:leaf", "2.0", 64), ("org.tiny:tiny", "1.0", 64),
    ]  # fmt: skip
    assert answer.environment_id == prepare("java", "org.tiny:tiny:1.0").environment_id
    result = bench.one(USES_TINY, 3, language="java", environment_id=answer.environment_id)
    assert (result.outcome, result.value) == (Outcome.RETURNED, "8"), result
    bare = bench.one(USES_TINY, 3, language="java")
    assert bare.outcome is not Outcome.RETURNED and "cannot be resolved" in bare.error_message
    source = (
        "import org.leaf.*;\npublic class M { public static void main(String[] a) { System.out.println(Leaf.FIVE); } }"
    )
    ran = bench.program(source, language="java", environment_id=answer.environment_id)
    assert ran.stdout == b"5\n", ran
    folder = bench.backend._options.state_dir / "environments" / answer.environment_id
    assert sorted(path.name for path in folder.iterdir()) == [
        "000-org.leaf.leaf-2.0.jar", "001-org.tiny.tiny-1.0.jar",
    ]  # fmt: skip
    with pytest.raises(JobRefusedError, match="holds packages of java, and the job is python"):
        bench.one("def f(): return 1", environment_id=answer.environment_id)


@pytest.mark.parametrize(
    ("policy", "wanted", "thing", "rule"),
    [
        ({}, "digest:1", "org.bad:digest 1", "not the one that the repository names"),
        ({}, "unproved:1", "org.bad:unproved 1", "no digest"),
        ({}, "moving:1", "org.leaf:leaf 2.0-SNAPSHOT", "changes under its name"),
        ({}, "elsewhere:1", "org.bad:elsewhere:1", "another server"),
        ({"native": False}, "native:1", "org.bad:native 1", "machine code"),
        ({"native": False}, "elf:1", "org.bad:elf 1", "machine code"),
        ({"native": False}, "versioned:1", "org.bad:versioned 1", "machine code"),
        ({"least_age_days": 7}, "fresh:1", "org.bad:fresh 1", "less than 7 days ago"),
        ({"denied": ("java:org.bad:*",)}, "fresh", "org.bad:fresh", "denied by the rule"),
        ({"most_packages": 1}, "", "org.tiny:tiny 1.0", "one of 2 packages"),
        ({"denied": ("org.leaf:*",)}, "", "org.leaf:leaf", "denied by the rule"),
    ],
)
def test_an_archive_that_is_not_allowed_is_refused_by_name_and_rule(
    preparing, archives, index, tmp_path, policy, wanted, thing, rule
):
    prepare, before = preparing(tmp_path, **policy), len(index.asked)
    with pytest.raises(PolicyError) as refused:
        pytest.fail(f"not refused: {prepare('java', f'org.bad:{wanted}' if wanted else 'org.tiny:tiny:1.0')}")
    assert refused.value.thing == thing and rule in refused.value.rule
    assert not [path for path in (tmp_path / "environments").iterdir() if path.is_dir()]
    assert archives.asked == [], "no other server was asked"
    if "denied" in policy:
        assert not [path for path in index.asked[before:] if path.endswith(".jar")]


def test_what_a_repository_does_not_have_and_what_a_build_would_do_is_not_had(preparing, archives, tmp_path):
    prepare = preparing(tmp_path)
    for wanted in ("org.absent:absent", "org.tiny:tiny:9.9"):
        answer = prepare("java", wanted)
        assert not answer.ready and wanted.partition(":")[0] in answer.detail and "http" not in answer.detail
    # A plug-in of a build is nothing to whoever only wants the archive.
    assert prepare("java", "org.bad:program:1").ready


@pytest.mark.parametrize("name", NAMELESS)
def test_what_an_archive_needs_has_the_name_of_one(preparing, archives, index, tmp_path, name):
    before = len(index.asked)
    answer = preparing(tmp_path)("java", f"org.nameless:{name}:1")
    assert not answer.ready and "needs an archive whose name is none" in answer.detail, answer
    assert not [path for path in index.asked[before:] if path.endswith(".jar")]


def test_two_archives_are_two_files_whatever_their_names_have(preparing, archives, tmp_path):
    answer = preparing(tmp_path)("java", "org.twin:twin:1")
    assert answer.ready, answer.detail
    folder = tmp_path / "environments" / answer.environment_id
    assert len(list(folder.iterdir())) == len(answer.packages) == 3


def test_whoever_allows_an_archive_allows_each_of_its_kinds(preparing, archives, tmp_path):
    answer = preparing(tmp_path, allowed=("org.kinds:kinds", "org.kinds:one"))("java", "org.kinds:kinds:1")
    assert answer.ready, answer.detail
    assert [(each.name, each.version) for each in answer.packages] == [
        ("org.kinds:kinds", "1"), ("org.kinds:one", "1"), ("org.kinds:one", "1:linux"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["password", "unknown"])
def test_an_archive_of_which_nothing_can_be_read_is_refused(preparing, archives, tmp_path, name):
    with pytest.raises(PolicyError, match="its archive cannot be read"):
        preparing(tmp_path)("java", f"org.broken:{name}:1")


@pytest.mark.parametrize(
    "path",
    ["maven-metadata.xml", "2.0/leaf-2.0.pom", "2.0/leaf-2.0.jar", "2.0/leaf-2.0.jar.sha512", "2.0/leaf-2.0.jar.sha1"],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_repository_that_is_away_has_archives_nevertheless(preparing, archives, index, tmp_path, path, status):
    prepare, wanted = preparing(tmp_path), "org.leaf:leaf" if path.endswith("xml") else "org.leaf:leaf:2.0"
    index.answers(f"/maven/org/leaf/leaf/{path}", status)
    answer = prepare("java", wanted)
    assert not answer.ready and answer.detail == f"{wanted}: the repository does not answer now"
    assert prepare("java", wanted).ready
    # One that asks to wait for a moment is asked again.
    index.answers(f"/maven/org/leaf/leaf/{path}", 429, 429, **{"Retry-After": "0"})
    assert preparing(tmp_path / "again")("java", wanted).ready


def test_a_repository_that_nobody_reaches_is_away(preparing, archives, index, tmp_path, monkeypatch):
    gone = type(index)()
    gone.server.shutdown()
    gone.server.server_close()
    monkeypatch.setattr(index, "url", gone.url)
    answer = preparing(tmp_path)("java", "org.leaf:leaf:2.0")
    assert not answer.ready and answer.detail == "org.leaf:leaf:2.0: the repository does not answer now"
