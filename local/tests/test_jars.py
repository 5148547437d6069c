"""Jars are those of the lock, byte by byte."""

import hashlib

import pytest

from touchstone_local import jars
from touchstone_local.errors import LocalError


def test_the_lock_names_one_version_of_each_jar():
    for group in ("kafka", "ecj"):
        locked = jars.locked(group)
        artefacts = [jar.path.rsplit("/", 2)[0] for jar in locked]
        assert len(set(artefacts)) == len(artefacts) > 0
        assert all(len(jar.sha256) == 64 and jar.size_bytes > 0 and jar.name.endswith(".jar") for jar in locked)
    assert any(jar.name.startswith("kafka_2.13-4.1") for jar in jars.locked("kafka"))


@pytest.fixture
def repository(site, tmp_path, monkeypatch):
    lines = []
    for number in range(3):
        body = f"jar {number}".encode()
        path = f"org/x{number}/1/x{number}-1.jar"
        site.files[f"/m2/{path}"] = body
        lines.append(f'"{path} {len(body)} {hashlib.sha256(body).hexdigest()}"')
    lock = tmp_path / "jars.toml"
    lock.write_text(f"[small]\ncoordinates = []\njars = [{', '.join(lines)}]\n")
    monkeypatch.setattr(jars, "LOCK", lock)
    monkeypatch.setenv("TOUCHSTONE_MAVEN_URL", f"{site.base}/m2/")
    return site


def test_only_what_is_missing_is_fetched(repository, tmp_path):
    assert len(jars.missing("small", tmp_path)) == 3
    paths = jars.ensure("small", cache=tmp_path)
    assert [path.read_bytes() for path in paths] == [b"jar 0", b"jar 1", b"jar 2"]
    paths[1].unlink()
    repository.requests.clear()
    assert jars.ensure("small", cache=tmp_path) == paths
    assert [path for path, _ in repository.requests] == ["/m2/org/x1/1/x1-1.jar"]
    assert jars.missing("small", tmp_path) == []


def test_a_jar_that_cannot_be_had_is_named(repository, tmp_path):
    del repository.files["/m2/org/x2/1/x2-1.jar"]
    with pytest.raises(LocalError, match=r"x2-1\.jar: download failed .*404"):
        jars.ensure("small", cache=tmp_path)


def test_a_configured_java_must_be_one(tmp_path, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_JAVA_HOME", str(tmp_path))
    with pytest.raises(LocalError, match="no bin/java"):
        jars.java()
