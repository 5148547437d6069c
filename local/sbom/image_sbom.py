"""Tell what an image is made of, as CycloneDX: run in an environment of its own by `make sbom`.

    python local/sbom/image_sbom.py ARCHIVE... --out FOLDER

An archive is what `docker save`, `podman save` or buildah writes (of Docker's or OCI's format). What the last layer
leaves of Debian's and Python's packages is told, by name and version; the digest of the image's configuration says
which image it is.
"""

# The library's classes are made by decorators that hide what they take.
# pyright: reportAttributeAccessIssue=false, reportCallIssue=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportArgumentType=false

from __future__ import annotations

import argparse
import json
import posixpath
import re
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from typing import IO, Any

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

_STATUS = "var/lib/dpkg/status"
_METADATA = re.compile(r"(?:.*/)?[^/]+\.(?:dist-info/METADATA|egg-info/PKG-INFO)")
_WHITEOUT, _OPAQUE = ".wh.", ".wh..wh..opq"


@dataclass(frozen=True)
class Image:
    """One image of an archive.

    Attributes:
        name: As it is tagged; the archive's name where it is not.
        digest: SHA-256 of its configuration.
        files: What its layers leave of the files that tell of packages.
        system: Debian's release.
    """

    name: str
    digest: str
    files: dict[str, bytes]
    system: str


def images(path: Path) -> Iterator[Image]:
    """The images of an archive.

    Raises:
        ValueError: it is no archive of images.
    """
    with tarfile.open(path) as archive:
        names = set(archive.getnames())
        if "manifest.json" in names:
            for each in _json(archive, "manifest.json"):
                tags = each.get("RepoTags") or [path.stem]
                yield _image(archive, tags[0], each["Config"], each["Layers"])
        elif "index.json" in names:
            for each in _json(archive, "index.json")["manifests"]:
                manifest = _json(archive, _blob(each["digest"]))
                name = each.get("annotations", {}).get("org.opencontainers.image.ref.name", path.stem)
                layers = [_blob(layer["digest"]) for layer in manifest["layers"]]
                yield _image(archive, name, _blob(manifest["config"]["digest"]), layers)
        else:
            raise ValueError(f"{path}: no archive of images: it has neither manifest.json nor index.json")


def _blob(digest: str) -> str:
    return f"blobs/{digest.replace(':', '/')}"


def _open(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    stream = archive.extractfile(name)
    if stream is None:
        raise ValueError(f"{name}: no file of the archive")
    return stream


def _json(archive: tarfile.TarFile, name: str) -> Any:
    with _open(archive, name) as stream:
        return json.load(stream)


def _image(archive: tarfile.TarFile, name: str, config: str, layers: list[str]) -> Image:
    files: dict[str, bytes] = {}
    for layer in layers:
        with _open(archive, layer) as stream, tarfile.open(fileobj=stream) as content:
            added: dict[str, bytes] = {}
            for member in content:
                _lay(files, added, content, member)
            files |= added
    system = files.pop("etc/debian_version", b"").decode().strip()
    digest = re.sub(r"\.json$", "", config).rpartition("/")[2].removeprefix("sha256:")
    return Image(name, digest, files, system)


def _lay(files: dict[str, bytes], added: dict[str, bytes], content: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    """Take one entry of a layer: it is added, or takes something away of what the layers below left."""
    path = posixpath.normpath(member.name).lstrip("/")
    folder, _, name = path.rpartition("/")
    if name == _OPAQUE or name.startswith(_WHITEOUT):
        gone = folder if name == _OPAQUE else posixpath.join(folder, name.removeprefix(_WHITEOUT))
        for file in [file for file in files if file == gone or file.startswith(f"{gone}/")]:
            del files[file]
    elif member.isfile() and (path in (_STATUS, "etc/debian_version") or _METADATA.fullmatch(path)):
        stream = content.extractfile(member)
        assert stream is not None
        added[path] = stream.read()


def components(image: Image) -> Iterator[Component]:
    """The packages of an image."""
    for path, content in image.files.items():
        text = content.decode(errors="replace")
        if path == _STATUS:
            yield from _debian(text, image.system)
            continue
        headers = HeaderParser().parsestr(text)
        name, version = headers["Name"], headers["Version"]
        if name and version:
            normal = re.sub(r"[-_.]+", "-", name).lower()
            yield _component(name, version, PackageURL("pypi", None, normal, version))


def _debian(text: str, system: str) -> Iterator[Component]:
    for paragraph in text.split("\n\n"):
        headers = HeaderParser().parsestr(paragraph)
        if headers["Package"] and (headers["Status"] or "").endswith(" installed"):
            named = {"arch": headers["Architecture"]} | ({"distro": f"debian-{system}"} if system else {})
            url = PackageURL("deb", "debian", headers["Package"], headers["Version"], named)
            yield _component(headers["Package"], headers["Version"], url)


def _component(name: str, version: str, url: PackageURL) -> Component:
    return Component(type=ComponentType.LIBRARY, name=name, version=version, purl=url, bom_ref=url.to_string())


def bill(image: Image) -> str:
    """What an image is made of, as CycloneDX 1.6.

    Raises:
        ValueError: it does not satisfy that format's own schema.
    """
    hashed = [HashType(alg=HashAlgorithm.SHA_256, content=image.digest)]
    whole = Component(
        type=ComponentType.CONTAINER,
        name=image.name,
        version=f"sha256:{image.digest}",
        hashes=hashed,
        bom_ref=f"sha256:{image.digest}",
    )
    bom = Bom(components=components(image))
    bom.metadata.component = whole
    bom.register_dependency(whole, bom.components)
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    if (wrong := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)) is not None:
        raise ValueError(f"{image.name}: {wrong}")
    return text


def main() -> int:
    """Read the command line; one file for each image."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for path in asked.archives:
        try:
            for image in images(path):
                file = asked.out / (re.sub(r"[^\w.-]+", "-", image.name.rpartition("/")[2]) + ".cdx.json")
                file.write_text(bill(image))
                sys.stdout.write(f"{file}: {len(list(components(image)))} packages\n")
        except (OSError, ValueError, KeyError, tarfile.TarError) as error:
            sys.stderr.write(f"{path}: {error}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
