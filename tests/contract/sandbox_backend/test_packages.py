"""Prepared packages: fetched without running anything of them, found by jobs of every backend, held to rules."""

import io
import json
import os
import re
import tarfile

import pytest

from sandbox_executor.domain.limits import resolve
from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.domain.packages import PolicyError
from sandbox_executor.domain.sessions import SessionJob, Step
from sandbox_executor.errors import JobRefusedError
from sandbox_executor.usecases import Stop
from touchstone_local.settings import folders

STATE = folders().cache
ELF = b"\x7fELF" + b"\0" * 60
RUN = "node -e \"require('fs').writeFileSync('ran', '')\""


@pytest.fixture(scope="session", autouse=True)
def published(index):
    index.npm("tiny", "1.0.0", {"index.js": "module.exports = (x) => x + require('leaf');"}, needs={"leaf": "^2.0.0"})
    index.npm("tiny", "1.1.0", {"index.js": "module.exports = (x) => x * require('leaf');"}, needs={"leaf": "^2.0.0"})
    scripts = {"preinstall": RUN, "install": RUN, "postinstall": RUN, "prepare": RUN}
    index.npm("leaf", "2.0.5", {"index.js": "module.exports = 5;"}, scripts=scripts, hasInstallScript=True)
    index.npm("@scope/modern", "0.1.0", {"m.js": "export const seven = 7;"}, type="module", exports="./m.js")
    index.npm("crooked", "1.0.0", {"index.js": "1"}, integrity=f"sha512-{'A' * 86}==")
    index.npm("unproven", "1.0.0", {"index.js": "1"}, integrity="sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=")
    index.npm("stranger", "1.0.0", {"index.js": "1"}, needs={"away": f"{index.url}/leaf/-/leaf-2.0.5.tgz"})
    index.npm("binary", "1.0.0", {"index.js": "1", "build/it.node": ELF})
    index.npm("aged", "1.0.0", {"index.js": "1"}, days=50)
    index.npm("aged", "1.0.1", {"index.js": "2"}, days=1)
    index.wheel("pytiny", "1.0", {"pytiny.py": "VALUE = 41\n"})
    index.wheel("pybinary", "1.0", {"pybinary/__init__.py": "", "pybinary/inner.so": ELF})
    index.wheel("pyaged", "1.0", {"pyaged.py": "x = 1\n"}, days=1)


REQUIRED = "const tiny = require('tiny');\nfunction f(x) { return tiny(x); }\nmodule.exports = { f };"
IMPORTED = (
    "import tiny from 'tiny';\nimport { seven } from '@scope/modern';\nexport function f(x) { return tiny(x) + seven; }"
)
TYPED = IMPORTED.replace("f(x)", "f(x: number): number")


@pytest.mark.parametrize(
    ("language", "source", "value"),
    [
        ("javascript", REQUIRED, "15"),
        ("javascript", IMPORTED, "22"),
        ("typescript", TYPED, "22"),
        ("typescript", REQUIRED.replace("(x)", "(x: number)", 1), "15"),
    ],
)
def test_packages_of_npm_are_required_and_imported(bench, prepare, language, source, value):
    answer = prepare("javascript", "tiny@1.1.0", "@scope/modern@0.1.0")
    assert answer.ready, answer.detail
    assert [(x.name, x.version) for x in answer.packages] == [
        ("@scope/modern", "0.1.0"), ("leaf", "2.0.5"), ("tiny", "1.1.0"),
    ]  # fmt: skip
    assert all(re.fullmatch(r"sha512-\S{86}==", x.integrity) for x in answer.packages)
    result = bench.one(source, 3, language=language, environment_id=answer.environment_id)
    assert (result.outcome, result.value) == (Outcome.RETURNED, value), result
    # Without the environment nothing of it is there.
    assert bench.one(source, 3, language=language).outcome is not Outcome.RETURNED


def test_programs_and_sessions_find_them_and_change_nothing(bench, prepare):
    answer = prepare("javascript", "tiny@1.0.0")
    source = (
        "const fs = require('fs'); console.log(require('tiny')(1), fs.existsSync('/node_modules/leaf/ran'));"
        "for (const path of ['/node_modules/leaf/index.js', '/node_modules/new']) {"
        "  try { fs.writeFileSync(path, 'x'); console.log('written'); } catch (e) { console.log(e.code); } }"
    )
    ran = bench.program(source, language="javascript", environment_id=answer.environment_id)
    # None of the four scripts that a package may run when it is installed did.
    assert ran.stdout.splitlines()[0] == b"6 false", ran
    assert set(ran.stdout.splitlines()[1:]) <= {b"EROFS", b"EACCES", b"EPERM"}, ran
    room = bench.backend.open_session(SessionJob("javascript", resolve({}), answer.environment_id))
    stop, events = Stop(), []
    try:
        room.run(Step(60, 4096, command=("node", "-p", "require('tiny')(2)")), events.append, stop)
        assert events[0].data == b"7\n", events
    finally:
        room.close()
        stop.close()


def test_packages_of_python_are_imported(bench, prepare):
    answer = prepare("python", "pytiny>=1")
    assert answer.ready, answer.detail
    assert [(x.name, x.version, len(x.sha256)) for x in answer.packages] == [("pytiny", "1.0", 64)]
    source = "import pytiny\ndef f(): return pytiny.VALUE"
    assert bench.one(source, environment_id=answer.environment_id).value == "41"
    assert bench.one(source).error_type.endswith("ModuleNotFoundError")


def test_an_environment_serves_its_own_language_and_one_in_use_is_the_last_to_go(bench, prepare):
    state = bench.backend._options.state_dir / "environments"
    ours, theirs = prepare("javascript", "tiny@1.0.0"), prepare("python", "pytiny==1.0")
    os.utime(state / ours.environment_id, (1, 1))
    source = "function f() { return require('tiny')(1); }\nmodule.exports = { f };"
    assert bench.one(source, language="typescript", environment_id=ours.environment_id).value == "6"
    assert (state / ours.environment_id).stat().st_mtime > 1
    with pytest.raises(JobRefusedError, match="holds packages of node, and the job is python"):
        bench.one("def f(): return 1", environment_id=ours.environment_id)
    with pytest.raises(JobRefusedError, match="holds packages of python, and the job is javascript"):
        bench.one(source, language="javascript", environment_id=theirs.environment_id)
    with pytest.raises(JobRefusedError, match="no such environment"):
        bench.one(source, language="javascript", environment_id="js" + "0" * 30)


def test_a_range_is_resolved_once_and_what_it_gave_has_a_name(preparing, index, tmp_path):
    prepare = preparing(tmp_path)
    index.npm("moving", "1.0.0", {"index.js": "1"})
    first = prepare("javascript", "moving@^1.0.0")
    exact = prepare("javascript", "moving@1.0.0")
    assert first.environment_id == exact.environment_id
    index.npm("moving", "1.2.0", {"index.js": "2"})
    second = prepare("javascript", "moving@^1.0.0")
    assert [x.version for x in second.packages] == ["1.2.0"]
    assert second.environment_id != first.environment_id
    # What was frozen stays, and an exact one is not asked for again.
    asked = len(index.asked)
    assert prepare("javascript", "moving@1.0.0") == exact
    assert len(index.asked) == asked
    assert "1" in (tmp_path / "environments" / first.environment_id / "node_modules/moving/index.js").read_text()


def test_what_cannot_be_had_is_an_answer_that_names_it(preparing, tmp_path):
    prepare = preparing(tmp_path)
    for language, requirement, words in (
        ("javascript", "absent@1.0.0", "absent"),
        ("javascript", "tiny@9.9.9", "No matching version found for tiny@9.9.9"),
        # The archive is not the one that the registry names.
        ("javascript", "crooked@1.0.0", "EINTEGRITY"),
        ("python", "absent", "absent"),
        ("php", "absent", "php has no prepared environments; python, node, java, go have"),
    ):
        answer = prepare(language, requirement)
        assert not answer.ready
        assert words in answer.detail, answer
    assert not [path for path in (tmp_path / "environments").iterdir() if path.is_dir()]


RULES = [
    ({}, "javascript", "stranger@1.0.0", "stranger 1.0.0", "address of its own", "registry only"),
    ({}, "javascript", "unproven@1.0.0", "unproven 1.0.0", "no SHA-512", "choose a version"),
    ({"denied": ("leaf",)}, "javascript", "tiny@1.0.0", "leaf", "denied by the rule 'leaf'", "PACKAGES_DENIED"),
    ({"denied": ("python:*",)}, "python", "pytiny", "pytiny", "denied by the rule 'python:*'", "PACKAGES_DENIED"),
    ({"allowed": ("tiny",)}, "javascript", "tiny@1.0.0", "leaf", "not among the packages", "PACKAGES_ALLOWED"),
    ({"allowed": ("javascript:*",)}, "python", "pytiny", "pytiny", "not among", "PACKAGES_ALLOWED"),
    ({"most_packages": 1}, "javascript", "tiny@1.0.0", "tiny 1.0.0", "one of 2 packages", "PACKAGES_MOST"),
    ({"most_bytes": 100}, "javascript", "tiny@1.0.0", "leaf 2.0.5", "the largest of", "PACKAGES_BYTES"),
    ({"most_bytes": 100}, "python", "pytiny", "pytiny 1.0", "the largest of", "PACKAGES_BYTES"),
    ({"native": False}, "javascript", "binary@1.0.0", "binary 1.0.0", "machine code", "PACKAGES_NATIVE"),
    ({"native": False}, "python", "pybinary", "pybinary 1.0", "machine code", "PACKAGES_NATIVE"),
    ({"least_age_days": 7}, "javascript", "aged@1.0.1", "aged@1.0.1", "less than 7 days ago", "PACKAGES_AGE_DAYS"),
    ({"least_age_days": 7}, "python", "pyaged", "pyaged 1.0", "less than 7 days ago", "PACKAGES_AGE_DAYS"),
]


@pytest.mark.parametrize(("policy", "language", "requirement", "thing", "rule", "way_out"), RULES)
def test_a_package_that_is_not_allowed_is_refused_by_name_rule_and_way_out(
    preparing, tmp_path, policy, language, requirement, thing, rule, way_out
):
    prepare = preparing(tmp_path, **policy)
    with pytest.raises(PolicyError) as refused:
        pytest.fail(f"not refused: {prepare(language, requirement)}")
    assert refused.value.thing == thing
    assert rule in refused.value.rule
    assert way_out in refused.value.way_out
    assert not [path for path in (tmp_path / "environments").iterdir() if path.is_dir()]


def test_what_the_rules_allow_is_had(preparing, tmp_path):
    strict = preparing(tmp_path, native=False, least_age_days=7, allowed=("tiny", "leaf", "aged", "python:py*"))
    assert strict("javascript", "tiny@1.1.0").ready
    assert strict("python", "pytiny").ready
    # A range is resolved among those that are old enough.
    assert [x.version for x in strict("javascript", "aged@^1.0.0").packages] == ["1.0.0"]
    # What other rules let in is asked for again under these.
    assert preparing(tmp_path)("python", "pybinary==1.0").ready
    with pytest.raises(PolicyError):
        pytest.fail(f"not refused: {preparing(tmp_path, native=False)('python', 'pybinary==1.0')}")


def test_environment_variables_and_the_lock_are_not_shown_to_jobs(bench, prepare):
    answer = prepare("javascript", "tiny@1.0.0")
    found = "Object.keys(process.env).filter((x) => /npm|pip|proxy/i.test(x))"
    source = f"function f() {{ return {found}; }}\nmodule.exports = {{ f }};"
    result = bench.one(source, language="javascript", environment_id=answer.environment_id)
    assert json.loads(result.value) == []


BACKEND = """
import os, urllib.request
def build_wheel(directory, settings=None, metadata=None):
    urllib.request.urlopen("ADDRESS/ran")
    raise SystemExit
def prepare_metadata_for_build_wheel(directory, settings=None):
    urllib.request.urlopen("ADDRESS/ran")
    raise SystemExit
"""


def sdist(address):
    """A source archive whose own code builds it, and tells that it ran."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for path, text in {
            "src-1.0/PKG-INFO": "Metadata-Version: 2.1\nName: src\nVersion: 1.0\n",
            "src-1.0/pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'mine'\nbackend-path = ['.']\n",
            "src-1.0/mine.py": BACKEND.replace("ADDRESS", address),
        }.items():
            member = tarfile.TarInfo(path)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return stream.getvalue()


def test_python_takes_wheels_of_the_index_only_and_runs_nothing(preparing, index, elsewhere, tmp_path):
    prepare = preparing(tmp_path)
    elsewhere.wheel("src", "1.0", {"src.py": "VALUE = 1"})
    elsewhere.file("/src-1.0.tar.gz", sdist(elsewhere.url))
    ours = index.file("/src-1.0.tar.gz", sdist(elsewhere.url))
    for number, need in enumerate((
        f"src @ {elsewhere.url}/src-1.0.tar.gz",
        f"src @ {elsewhere.url}/wheels/src-1.0-py3-none-any.whl",
        f"src @ git+{elsewhere.url}/src.git",
        "src @ file:///work/src",
        # The index's own server, but not the index's answer.
        f"src @ {ours}",
    )):  # fmt: skip
        index.wheel(f"needs{number}", "1.0", {"needs.py": ""}, needs=(need,))
        with pytest.raises(PolicyError) as refused:
            pytest.fail(f"not refused: {prepare('python', f'needs{number}==1.0')}")
        assert (refused.value.thing, "address of its own" in refused.value.rule) == ("src", True)
    assert elsewhere.asked == []
    assert "/src-1.0.tar.gz" not in index.asked
    assert not [path for path in (tmp_path / "environments").iterdir() if path.is_dir()]


def test_a_source_archive_of_the_index_is_not_built(preparing, index, elsewhere, tmp_path):
    address = index.file("/files/source-1.0.tar.gz", sdist(elsewhere.url))
    index._wheels["source"] = [{"filename": "source-1.0.tar.gz", "url": address, "hashes": {}}]
    index.wheel("pyneeds", "1.0", {"pyneeds.py": ""}, needs=("pytiny>=1", "absent; extra == 'more'"))
    prepare = preparing(tmp_path)
    assert not prepare("python", "source==1.0").ready
    assert elsewhere.asked == []
    assert [x.name for x in prepare("python", "pyneeds==1.0").packages] == ["pyneeds", "pytiny"]


def test_npm_asks_the_registry_only_whatever_packages_need(preparing, index, elsewhere, tmp_path):
    prepare = preparing(tmp_path)
    elsewhere.npm("evil", "1.0.0", {"index.js": "module.exports = 'elsewhere';"})
    away = f"{elsewhere.url}/evil/-/evil-1.0.0.tgz"
    local = "file:../../../../etc"
    for number, needs in enumerate((
        {"needs": {"evil": away}}, {"optionalDependencies": {"evil": away}}, {"peerDependencies": {"evil": away}},
        {"needs": {"evil": f"git+{elsewhere.url}/evil.git"}}, {"needs": {"evil": "someone/evil"}},
        {"needs": {"evil": local}}, {"needs": {"evil": f"npm:{away}"}},
    )):  # fmt: skip
        index.npm(f"strange{number}", "1.0.0", {"index.js": "1"}, **needs)
        with pytest.raises(PolicyError) as refused:
            pytest.fail(f"not refused: {prepare('javascript', f'strange{number}@1.0.0')}")
        assert (refused.value.thing, "address of its own" in refused.value.rule) == (f"strange{number} 1.0.0", True)
        assert elsewhere.url not in str(refused.value)
    # One that claims to bring it inside, and does not, is without it.
    index.npm("claiming", "1.0.0", {"index.js": "1"}, needs={"evil": away}, bundleDependencies=["evil"])
    assert [x.name for x in prepare("javascript", "claiming@1.0.0").packages] == ["claiming"]
    assert elsewhere.asked == []
    # One that was mended since is had.
    index.npm("strange0", "1.1.0", {"index.js": "1"})
    assert prepare("javascript", "strange0@^1.0.0").ready


def shrinkwrap(name, version, dist):
    entry = {"version": version, "resolved": dist["tarball"], "integrity": dist["integrity"]}
    return json.dumps({"lockfileVersion": 3, "requires": True, "packages": {"": {}, f"node_modules/{name}": entry}})


def test_no_archive_says_by_itself_what_npm_installs(preparing, index, elsewhere, tmp_path):
    index.npm("proved", "1.0.0", {"index.js": "module.exports = 'proved';"})
    index.npm("unwanted", "1.0.0", {"index.js": "module.exports = 'unwanted';"})
    elsewhere.npm("proved", "1.0.0", {"index.js": "module.exports = 'elsewhere';"})
    dists = [
        elsewhere._npm["proved"]["versions"]["1.0.0"]["dist"],
        index._npm["unwanted"]["versions"]["1.0.0"]["dist"],
        index._npm["aged"]["versions"]["1.0.1"]["dist"],
    ]
    prepare = preparing(tmp_path, denied=("unwanted",), least_age_days=7)
    for number, dist in enumerate(dists):
        files = {"index.js": "1", "npm-shrinkwrap.json": shrinkwrap("proved", "1.0.0", dist)}
        for told in (True, False):
            name = f"shrunk{number}{'told' if told else 'quiet'}"
            flags = {"_hasShrinkwrap": True} if told else {}
            index.npm(name, "1.0.0", files, needs={"proved": "1.0.0"}, **flags)
            if not told:
                # The archive's own manifest says it, and the registry does not.
                index._npm[name]["versions"]["1.0.0"].pop("_hasShrinkwrap", None)
            with pytest.raises(PolicyError) as refused:
                pytest.fail(f"not refused: {prepare('javascript', f'{name}@1.0.0')}")
            assert refused.value.thing == f"{name} 1.0.0"
            assert "npm-shrinkwrap.json" in refused.value.rule
    assert elsewhere.asked == []


def test_what_a_package_brings_inside_is_in_its_archive(preparing, index, tmp_path):
    inner = {"node_modules/inner/package.json": '{"name": "inner", "version": "3.0.0"}'}
    bundle = {"needs": {"inner": "^3.0.0"}, "bundleDependencies": ["inner"]}
    index.npm("bundling", "1.0.0", {"index.js": "1", **inner}, **bundle)
    index.npm("inner", "3.1.0", {"index.js": "1"})
    index.npm("lacking", "1.0.0", {"index.js": "1"}, **bundle)
    prepare = preparing(tmp_path)
    answer = prepare("javascript", "bundling@1.0.0")
    assert [(x.name, x.version) for x in answer.packages] == [("bundling", "1.0.0"), ("inner", "3.0.0")]
    # What is not in the archive, nothing proves: it is not had.
    assert [x.name for x in prepare("javascript", "lacking@1.0.0").packages] == ["lacking"]
