"""Prepared packages, without network: what may be asked for, what a lock may hold, what the rules say."""

import hashlib
import io
import json
import sys
import tarfile
from datetime import UTC, datetime, timedelta

import pytest

from sandbox_executor.adapters.packages import fetching
from sandbox_executor.adapters.packages.archive import measure, unpack
from sandbox_executor.adapters.packages.maven import explain as explain_maven
from sandbox_executor.adapters.packages.npm import explain, guarding, installed, read_lock
from sandbox_executor.adapters.packages.pip import read_dates, read_records
from sandbox_executor.adapters.packages.proving import prove
from sandbox_executor.domain.outcomes import Ending, Signs, Usage
from sandbox_executor.domain.packages import Measured, Policy, PolicyError, parse_names
from sandbox_executor.domain.requirements import (
    Package,
    Prepared,
    RequirementError,
    check_go_requirements,
    check_maven_requirements,
    check_npm_requirements,
    environment_id,
    go_pinned,
    maven_pinned,
    npm_pinned,
    runtime_of,
)
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.settings import SandboxSettings

PROOF = f"sha512-{'A' * 86}=="
NOW = datetime(2026, 1, 31, tzinfo=UTC)


def packed(files, links=()):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for path, data in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        for path, target in links:
            member = tarfile.TarInfo(path)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
    return stream.getvalue()


def test_requirements_of_go_are_paths_and_released_versions():
    asked = ("gopkg.test/yaml.v3@v3.0.1", "example.test/a/B-c", "gopkg.test/yaml.v3@v3.0.1")
    assert check_go_requirements(asked) == ("example.test/a/B-c", "gopkg.test/yaml.v3@v3.0.1")
    assert go_pinned(("e.x/a@v1.0.0",)) and not go_pinned(("e.x/a@v1.0.0", "e.x/b"))
    for good in ("e.x/a@v0.0.0-20240101000000-abcdef123456", "e.x/a@v2.0.0+incompatible", "e.x/a/v2"):
        assert check_go_requirements((good,)) == (good,)
    for bad in (
        "", "fmt", "a/b", "./a", "../a", "/a", "e.x/../a", "e.x//a", "e.x/a@", "e.x/a@latest", "e.x/a@main", "e.x/a@v1",
        "e.x/a@>=v1.0.0", "https://e.x/a", "e.x/a b", "e.x/a@v1.0.0 -x", "-x.y/a", "e.x/-a/..", "e.x/a@v1.0.0\n", "...",
        "e.x/...", "e.x:80/a", "e.x/a@none",
    ):  # fmt: skip
        with pytest.raises(RequirementError):
            check_go_requirements((bad,))
    with pytest.raises(RequirementError, match=r"as v1\.0\.0 and as any"):
        check_go_requirements(("e.x/a@v1.0.0", "e.x/a"))


def test_requirements_of_java_are_archives_and_released_versions():
    asked = ("org.json:json:20240303", "com.google.code.gson:gson", "org.json:json:20240303")
    assert check_maven_requirements(asked) == ("com.google.code.gson:gson", "org.json:json:20240303")
    assert maven_pinned(("a:b:1",)) and not maven_pinned(("a:b:1", "c:d"))
    for bad in (
        "", "a", ":", "a:", ":b", "a:b:", "a:b:c:d", "a:b:[1,2)", "a:b:LATEST", "a:b:release", "a:b:1-SNAPSHOT",
        "../a:b", "a/b:c", "a:b:../1", "a:b:1/2", "http://x:1", "a..b:c", "a:b:1..2", "a b:c", "a:b:1 2", "a:b:1\n2",
        "-a:b", "a:-b:1", "a:b:-1", "a:b:\u0661",
    ):  # fmt: skip
        with pytest.raises(RequirementError):
            check_maven_requirements((bad,))
    with pytest.raises(RequirementError, match="as 1 and as 2"):
        check_maven_requirements(("a:b:1", "a:b:2"))


@pytest.mark.parametrize(
    ("words", "said", "refused"),
    [
        ('x\ntouchstone-refused ["digest", "a:b 1"]\n', "is not the one that the repository names", True),
        ('touchstone-refused ["address", "inner.example.org"]', "another server", True),
        ("touchstone-missing a:b 9", "a:b 9: not in the repository", False),
        (
            "RuntimeError: Artifact a:b:jar:9 not found in remote repositories {'x': 'https://inner'}",
            "a:b:jar:9",
            False,
        ),
        ("ValueError: https://inner.example.org says no", "a:b: cannot be had", False),
        ("touchstone-away", "a:b: the repository does not answer now", False),
        # Words are cut where they are long, and other programs may write lines.
        ('touchstone-refused ["digest", "aaaaaa', "a:b: refused", False),
        ('touchstone-refused ["inner", "x"]', "a:b: refused", False),
        ("touchstone-refused 7", "a:b: refused", False),
    ],
)
def test_what_jgo_says_is_told_in_our_words(words, said, refused):
    told = explain_maven(words, "a:b")
    assert said in str(told) and isinstance(told, PolicyError) == refused
    assert "https" not in str(told) and "inner" not in str(told)


def test_requirements_of_npm_are_names_and_versions():
    asked = ("left-pad@1.3.0", "@scope/name@^1.2 || >=3", "any", "left-pad@1.3.0")
    assert check_npm_requirements(asked) == ("@scope/name@^1.2 || >=3", "any@*", "left-pad@1.3.0")
    assert npm_pinned(("a@1.2.3", "b@1.2.3-beta.1+x"))
    assert not npm_pinned(("a@1.2.3", "b@^1.2.3"))
    for bad in (
        "", "@", "../up", "a/b", "a@http://x/y.tgz", "a@file:../x", "a@git+ssh://x", "a@npm:b@1", "a@latest", "a@",
        "--registry=x", "a b", "a@1\n2", "a@github:x/y", "a@>=1 || file:x", "A" * 215, "a@" + "1" * 400,
        "a@vnext", "a@x.tgz", "a@v", "a@x-rc", "a@1.x.tgz", "a@1.0.0.0", "a@1.0-x", "a@v1.tar.gz", "a@1.0.0-", "a@=",
        "a@1 || next", "a@\u0661.0.0", "a@1.0.0_1", "a@01.0.0", "a@99999999999999999999", "a@-1", "a@*beta",
    ):  # fmt: skip
        with pytest.raises(RequirementError):
            check_npm_requirements((bad,))
    for several in ((), ("a",) * 51, ("a@1.0.0", "a@2.0.0")):
        with pytest.raises(RequirementError):
            check_npm_requirements(several)


def test_every_range_of_npm_is_a_requirement():
    for text in (
        "1", "1.2", "v1.2.3", "=1.2.3", "^1.2.3-beta.1+b.2", "~1.2", "~>1", ">=1.2.3 <2", "> 1", "1.x", "1.2.*", "x",
        "*", "1.0.0 - 2.1", "<1 || >=2.0.0-rc.1 <3||4.x", "1.2.3-0a.b-c",
    ):  # fmt: skip
        assert check_npm_requirements((f"a@{text}",)) == (f"a@{text}",)


def test_the_name_of_an_environment_says_whose_it_is_and_what_is_in_it():
    one, other = Package("a", "1", "", PROOF), Package("a", "1", "", PROOF.replace("A", "B"))
    assert runtime_of(environment_id((one,), "node-24", "node")) == "node"
    assert runtime_of(environment_id((Package("a", "1", "00"),), "cpython-311")) == "python"
    names = {environment_id((x,), interpreter, "node") for x in (one, other) for interpreter in ("node-24", "node-25")}
    assert len(names) == 4
    assert all(len(name) == 32 and name.isalnum() for name in names)


def lock(**packages):
    entries = {"": {"name": "environment"}} | {f"node_modules/{path}": entry for path, entry in packages.items()}
    return json.dumps({"lockfileVersion": 3, "packages": entries}).encode()


def test_every_entry_of_a_lock_is_proved():
    entry = {"version": "1.0.0", "integrity": f"sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= {PROOF}"}
    inside = {"version": "2.0.0", "inBundle": True}
    alias = entry | {"name": "real"}
    found = read_lock(lock(a=entry, **{"a/node_modules/b": inside, "other": alias}))
    assert found == {
        "node_modules/a": Package("a", "1.0.0", "", PROOF),
        "node_modules/a/node_modules/b": Package("b", "2.0.0", ""),
        "node_modules/other": Package("real", "1.0.0", "", PROOF),
    }
    for bad in (
        {"version": "1.0.0"},
        entry | {"integrity": "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="},
        entry | {"integrity": "sha512-short"},
        entry | {"resolved": "git+ssh://git@host/x.git#abc"},
        {"resolved": "somewhere", "link": True},
        entry | {"hasShrinkwrap": True},
        {"version": "1.0.0", "inBundle": True, "hasShrinkwrap": True},
    ):
        with pytest.raises(PolicyError, match=r"^a"):
            read_lock(lock(a=bad))
    with pytest.raises(PolicyError):
        read_lock(json.dumps({"lockfileVersion": 3, "packages": {"../up": entry}}).encode())
    for broken in (b"", b"[]", b'{"lockfileVersion":3}', b'{"lockfileVersion":2,"packages":{}}', b"[" * 100_000,
                   b'{"lockfileVersion":3,"packages":{"node_modules/a":1}}'):  # fmt: skip
        with pytest.raises(SandboxFaultError):
            read_lock(broken)


def npm_folder(tmp_path, archives, files):
    """A folder as npm leaves it, with the archives in npm's cache; what proves them."""
    proofs = {}
    for path, (name, version, content) in archives.items():
        content = {"package.json": json.dumps({"name": name, "version": version}).encode(), **content}
        data = packed({f"package/{each}": text for each, text in content.items()})
        digest = hashlib.sha512(data).hexdigest()
        kept = tmp_path / "cache/_cacache/content-v2/sha512" / digest[:2] / digest[2:4] / digest[4:]
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data)
        proofs[path] = (name, version, digest)
        files = {f"{path}/{each}": text for each, text in content.items()} | files
    for path, text in files.items():
        file = tmp_path / "environment" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    return proofs


def test_what_lies_in_the_folder_of_npm_is_what_the_archives_hold(tmp_path):
    a, b, inner = "node_modules/a", "node_modules/@s/b", "node_modules/a/node_modules/inner"
    archives = {
        a: ("a", "1.0.0", {"run": b"#!node\r\n", ".gitignore": b"x", "node_modules/c/index.js": b"own"}),
        b: ("@s/b", "2.0.0", {}), inner: ("inner", "1.0.0", {"index.js": b"1"}),
    }  # fmt: skip
    fine = {f"{a}/run": b"#!node\n", f"{a}/.npmignore": b"x", "node_modules/.package-lock.json": b"{}"}
    absent = {"node_modules/absent": ("absent", "1.0.0", "00" * 64)}

    def wrong(folder, change=None, files=None, **proofs):
        made = npm_folder(folder, archives | (change or {}), fine | (files or {}))
        return prove(folder / "environment", folder / "cache", made | absent | proofs)

    assert wrong(tmp_path / "fine") == []
    cases = [
        ({}, {"node_modules/evil/index.js": b"1"}, "node_modules/evil/index.js", "no package"),
        # What the package says that it brings, and what was fetched from elsewhere in its place.
        ({}, {f"{a}/node_modules/d/index.js": b"1"}, a, "more is installed"),
        ({}, {f"{a}/node_modules/c/index.js": b"other"}, a, "more is installed"),
        ({}, {f"{inner}/index.js": b"2"}, inner, "more is installed"),
        ({inner: ("inner", "1.0.0", {"npm-shrinkwrap.json": b"{}"})}, {}, inner, "npm-shrinkwrap.json"),
    ]
    for number, (change, files, path, why) in enumerate(cases):
        found = wrong(tmp_path / str(number), change, files)
        assert [each for each, _ in found] == [path], found
        assert why in found[0][1]
    folder = tmp_path / "renamed"
    made = npm_folder(folder, archives, fine)
    made[inner] = ("fine", "1.0.0", made[inner][2])
    assert "another package" in prove(folder / "environment", folder / "cache", made)[0][1]
    made[inner] = ("inner", "1.0.0", "ab" * 64)
    assert "not the one" in prove(folder / "environment", folder / "cache", made)[0][1]
    (folder / "environment" / b / "link").symlink_to("/etc/passwd")
    assert prove(folder / "environment", folder / "cache", npm_folder(folder, archives, fine))[0][0] == b


def test_what_indexes_and_archives_name_says_nothing_to_a_terminal():
    refused = PolicyError("a\x1b[2J\nlevel=error" + "b" * 400, "denied", "ask")
    answer = Prepared(False, detail="a\x1b[2J\nlevel=error")
    assert (refused.thing + str(refused) + answer.detail).isprintable()
    assert len(refused.thing) == 300
    assert answer.detail == "a\ufffd[2J\ufffdlevel=error"


def test_npm_is_explained_in_our_words():
    inner = "code ECONNREFUSED; request to http://10.0.0.7:9/secret failed, reason: connect ECONNREFUSED 10.0.0.7:9"
    for words, said in (
        (inner, "a@1.0.0: npm cannot have it (ECONNREFUSED)"),
        ("TypeError: at /work/x.js:1 \x1b[31m", "a@1.0.0: npm cannot have it"),
        ("code E404; 404 Not Found - GET http://inner/b; 'b@*' is not in this registry.", "b@*: not in the registry"),
        ("code ETARGET; No matching version found for b@9.", "No matching version found for b@9"),
    ):
        assert str(explain(words, "a@1.0.0", Policy())) == said
    refused = explain('touchstone-refused ["address","b","1.0.0"]; at x', "a@1.0.0", Policy())
    assert isinstance(refused, PolicyError)
    assert refused.thing == "b 1.0.0"


def test_npm_may_ask_the_configured_registries_and_proxies():
    variables = {"npm_config_@s:registry": "https://own/", "HTTPS_PROXY": "http://proxy:3128", "npm_config_x": "5"}
    assert guarding(variables) == {
        "registries": ["https://own/"], "standard": True, "proxies": ["http://proxy:3128"],
    }  # fmt: skip
    assert guarding({"npm_config_registry": "http://mirror/npm/"})["standard"] is False


def test_what_was_installed_is_counted_and_measured_by_package():
    locked = read_lock(
        lock(**{name: {"version": "1.0.0", "integrity": PROOF} for name in ("a", "b", "a/node_modules/b", "absent")})
    )
    archive = packed({
        "./node_modules/a/package.json": b"{}", "./node_modules/a/x.so.1": b"..",
        "./node_modules/b/package.json": b"{}", "./node_modules/a/node_modules/b/deep/tool": b"\x7fELF" + b"0" * 6,
        "./package.json": b"{}",
    })  # fmt: skip
    a, b = Package("a", "1.0.0", "", PROOF), Package("b", "1.0.0", "", PROOF)
    assert installed(archive, locked) == {a: Measured(4, True), b: Measured(12, True)}
    assert measure(archive, {})[""] == Measured(18, True)
    with pytest.raises(SandboxFaultError):
        measure(b"no archive", {})


def test_wheels_say_which_files_are_theirs():
    record = b"pkg/__init__.py,sha256=x,3\nbin/tool,,\nshared.so,,\n../../../etc/passwd,,\n"
    archive = packed({"./A_B-1.0.dist-info/RECORD": record, "./pkg/__init__.py": b"...", "./shared.so": b"1234"})
    owners = read_records(archive)
    assert owners["shared.so"] == "a_b"
    assert not any(".." in path for path in owners)
    measured = measure(archive, owners)
    assert measured == {"a_b": Measured(len(record) + 7, True)}


def test_dates_that_are_none_are_unknown():
    data = {"a": "2026-01-01T00:00:00.123456Z", "b": "2026-01-01T00:00:00", "c": 7, "d": "soon"}
    assert list(read_dates(json.dumps(data).encode())) == ["a"]
    with pytest.raises(SandboxFaultError):
        read_dates(b"<html>")


@pytest.mark.parametrize("link", ["/etc/passwd", "../../outside"])
def test_an_archive_that_leaves_its_folder_is_refused(tmp_path, link):
    with pytest.raises(SandboxFaultError):
        unpack(packed({}, [("./link", link)]), tmp_path / "environment")
    assert list(tmp_path.iterdir()) == []
    unpack(packed({"./f": b"x"}), tmp_path / "environment")
    # One that is there stays as it is.
    unpack(packed({"./f": b"y"}), tmp_path / "environment")
    assert (tmp_path / "environment" / "f").read_bytes() == b"x"
    assert [path.name for path in tmp_path.iterdir()] == ["environment"]


@pytest.mark.parametrize(
    ("pattern", "language", "name", "met"),
    [
        ("left-pad", "javascript", "left-pad", True),
        ("left-pad", "javascript", "left-pad2", False),
        ("@types/*", "javascript", "@types/node", True),
        ("javascript:x", "python", "x", False),
        ("python:Zope_Interface", "python", "zope.interface", True),
        ("types-*", "python", "types_requests", True),
    ],
)
def test_names_are_met_by_patterns(pattern, language, name, met):
    denying, allowing = Policy(denied=(pattern,)), Policy(allowed=(pattern,))
    for policy, refuses in ((denying, met), (allowing, not met)):
        if refuses:
            with pytest.raises(PolicyError, match=name):
                policy.check_name(language, name)
        else:
            policy.check_name(language, name)


def test_what_is_denied_is_not_allowed_by_another_rule():
    with pytest.raises(PolicyError):
        Policy(allowed=("a",), denied=("python:a",)).check_name("python", "a")


def test_age_counts_where_it_is_known():
    policy = Policy(least_age_days=3)
    package = Package("a", "1", "00")
    policy.check("python", {package: Measured()}, NOW)
    policy.check("python", {package: Measured(published=NOW - timedelta(days=4))}, NOW)
    with pytest.raises(PolicyError) as refused:
        policy.check("python", {package: Measured(published=NOW - timedelta(days=2))}, NOW)
    assert "a 1" in str(refused.value) and "3 days" in str(refused.value) and "AGE_DAYS" in str(refused.value)


def test_the_operator_sets_the_rules_and_npm_hears_of_the_network(monkeypatch):
    for name in ("HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    settings = {
        "TOUCHSTONE_SANDBOX_PACKAGES_DENIED": "a, python:b", "TOUCHSTONE_SANDBOX_PACKAGES_NATIVE": "false",
        "TOUCHSTONE_SANDBOX_PACKAGES_AGE_DAYS": "2.5", "TOUCHSTONE_SANDBOX_PACKAGES_MOST": "7",
        "NPM_CONFIG_REGISTRY": "http://mirror/", "npm_config_//mirror/:_authToken": "t",
        "npm_config_script_shell": "/x",
        "npm_config_@scope:registry": "http://other/", "HTTPS_PROXY": "http://proxy", "SSL_CERT_FILE": "/ca.pem",
    }  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    read = SandboxSettings()
    assert read.policy() == Policy((), ("a", "python:b"), 7, 512 * 1024**2, 2.5, False)
    variables = read.npm_variables()
    assert variables["npm_config_registry"] == "http://mirror/"
    assert variables["npm_config_//mirror/:_authToken"] == "t"
    assert variables["npm_config_@scope:registry"] == "http://other/"
    assert variables["HTTPS_PROXY"] == "http://proxy"
    # A bundle under one name stands under all.
    assert variables["NODE_EXTRA_CA_CERTS"] == "/ca.pem"
    assert not any("script" in name for name in variables)
    monkeypatch.setenv("TOUCHSTONE_SANDBOX_NPM_REGISTRY", "http://own/")
    assert SandboxSettings().npm_variables()["npm_config_registry"] == "http://own/"
    assert parse_names(" a,b  c ,") == ("a", "b", "c")


def test_go_takes_a_sandboxs_room_and_not_the_machines(tmp_path, monkeypatch):
    from sandbox_executor.adapters.packages import golang_fetch

    program = tmp_path / "go"
    program.write_text('#!/bin/sh\necho "$GOMAXPROCS $GOFLAGS $GOPROXY $GOVCS"\n')
    program.chmod(0o755)
    monkeypatch.setattr(golang_fetch, "_WORK", tmp_path)
    monkeypatch.setenv("GOPROXY", "https://mirror.test|direct")
    told = golang_fetch.Go(str(program))("env")
    assert told.split() == ["2", "-mod=mod", "-modcacherw", "-p=2", "https://mirror.test", "*:off"]


def test_what_go_says_first_where_it_breaks_off_is_kept(tmp_path, monkeypatch, capfd):
    from sandbox_executor.adapters.packages import golang, golang_fetch

    program = tmp_path / "go"
    crash = "runtime: failed to create new OS thread (have 9 already; errno=11)"
    program.write_text(f"#!/bin/sh\necho '{crash}' >&2\nseq 1000 >&2\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setattr(golang_fetch, "_WORK", tmp_path)
    monkeypatch.setenv("GOPROXY", "https://mirror.test")
    monkeypatch.setattr(golang_fetch.os, "_exit", sys.exit)
    with pytest.raises(SystemExit):
        golang_fetch.Go(str(program))("list")
    words = capfd.readouterr().err
    assert len(words) < 1100 and words.rstrip().endswith("1000")
    assert str(golang.explain(words, "a/b")) == "a/b: the sandbox had no room to fetch it"
    assert str(golang.explain("touchstone-go: -9: ", "a/b")) == "a/b: the sandbox had no room to fetch it"


@pytest.mark.parametrize(
    ("signs", "error", "words"),
    [
        (Signs(Usage(), Ending(fault="the parent is gone")), SandboxFaultError, "the parent is gone"),
        (Signs(Usage(), Ending(foreign="who are you")), SandboxFaultError, "who are you"),
        (Signs(Usage(), Ending(signal=9)), SandboxFaultError, "signal 9"),
        (Signs(Usage()), SandboxFaultError, "nothing says how it ended"),
        (Signs(Usage(oom_kills=1), Ending(exit_code=1)), fetching.UnfinishedError, "more than 2048 MiB of memory"),
        (Signs(Usage(), timed_out=True), fetching.UnfinishedError, "not done after 300 s"),
        (Signs(Usage(), output_exceeded=True), fetching.UnfinishedError, "printed more than 8 MiB"),
        (Signs(Usage(), Ending(exit_code=1)), fetching.CannotBeHadError, "it failed without a word"),
    ],
)
def test_what_was_ended_says_nothing_of_a_package(monkeypatch, signs, error, words):
    monkeypatch.setattr(fetching, "run_command", lambda *_, **__: (signs, ""))
    with pytest.raises(error, match=words):
        fetching.Desk(None, "python", None).run(("go",), {}, "touchstone-")
