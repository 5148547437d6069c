"""What `make sbom` tells of an image is what its layers leave, in both formats of archives."""

import hashlib
import io
import json
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv" / "sbom" / "bin" / "python"
STATUS = """Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36-9

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1
"""
SITE = "opt/touchstone/lib/python3.11/site-packages"
LOWER = {
    "var/lib/dpkg/status": STATUS,
    "etc/debian_version": "12.5\n",
    f"{SITE}/Py_YAML-6.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: Py_YAML\nVersion: 6.0\n\nWords\nName: no\n",
    f"{SITE}/hatchling-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: hatchling\nVersion: 1.0\n",
    "old/x-1.dist-info/METADATA": "Name: x\nVersion: 1\n",
    "usr/bin/something": "x",
}
# What a layer takes away is of the layers below it, in whatever order it is told.
UPPER = {
    "old/y-1.dist-info/METADATA": "Name: y\nVersion: 1\n",
    f"./{SITE}/.wh.hatchling-1.0.dist-info": "",
    "old/.wh..wh..opq": "",
    f"{SITE}/Py_YAML-6.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: Py_YAML\nVersion: 6.1\n",
}
EXPECTED = {"pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12.5", "pkg:pypi/py-yaml@6.1", "pkg:pypi/y@1"}


def packed(files, mode="w"):
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode=mode) as archive:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return whole.getvalue()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def docker():
    config = b"{}"
    manifest = [
        {"Config": f"{digest(config)}.json", "RepoTags": ["touchstone/ingester:1"], "Layers": ["a/layer.tar", "b.tar"]}
    ]
    return packed(
        {
            "manifest.json": json.dumps(manifest),
            f"{digest(config)}.json": config,
            "a/layer.tar": packed(LOWER),
            "b.tar": packed(UPPER),
        }
    )


def oci():
    blobs = {}

    def blob(data):
        blobs[f"blobs/sha256/{digest(data)}"] = data
        return {"digest": f"sha256:{digest(data)}"}

    layers = [blob(packed(LOWER, "w:gz")), blob(packed(UPPER, "w:gz"))]
    manifest = blob(json.dumps({"config": blob(b"{}"), "layers": layers}).encode())
    named = manifest | {"annotations": {"org.opencontainers.image.ref.name": "touchstone/ingester:1"}}
    return packed({"index.json": json.dumps({"manifests": [named]}), **blobs})


@pytest.mark.parametrize("form", [docker, oci])
def test_packages_that_are_left_are_told_and_no_others(form, tmp_path):
    assert PYTHON.is_file(), "run make sbom-tool"
    archive = tmp_path / "image.tar"
    archive.write_bytes(form())
    command = [str(PYTHON), str(ROOT / "local/sbom/image_sbom.py"), str(archive), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "out" / "ingester-1.cdx.json").read_text())
    assert told["bomFormat"] == "CycloneDX" and told["specVersion"] == "1.6"
    assert {each["purl"] for each in told["components"]} == EXPECTED
    subject = told["metadata"]["component"]
    assert subject["name"] == "touchstone/ingester:1" and subject["version"] == f"sha256:{digest(b'{}')}"


@pytest.mark.parametrize("lock", sorted(ROOT.glob("services/*/requirements.lock")), ids=lambda lock: lock.parent.name)
def test_an_image_without_torch_has_nothing_that_builds_packages(lock):
    dockerfile = (ROOT / "Dockerfile").read_text()
    (program,) = re.findall(r"awk '(.*)'", dockerfile)
    (taken_out,) = re.findall(r"uv pip uninstall --quiet (.*)", dockerfile)
    kept = subprocess.run(["awk", program, str(lock)], capture_output=True, text=True, check=True).stdout
    names = set(re.findall(r"^([a-z0-9._-]+)==", kept, re.MULTILINE))
    assert len(names) > 20 and "hatchling" in names
    names -= set(taken_out.split())
    assert not names & {"torch", "setuptools", "wheel", "pip", "hatchling", "grpcio-tools", "cython", "uv"}


def test_what_is_no_image_is_refused_by_name(tmp_path):
    archive = tmp_path / "other.tar"
    archive.write_bytes(packed({"x": "y"}))
    command = [str(PYTHON), str(ROOT / "local/sbom/image_sbom.py"), str(archive), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "other.tar" in done.stderr and "Traceback" not in done.stderr
