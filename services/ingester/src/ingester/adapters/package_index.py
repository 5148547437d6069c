"""Releases of packages, from a package index."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import httpx
import stamina
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version
from pypi_simple import DistributionPackage, NoSuchProjectError, PyPISimple
from requests import RequestException

from ingester.errors import SourceRefusedError, SourceUnavailableError
from ingester.ports import Source, SourceVersion

_CHUNK = 1 << 16
# Answers about a file that another try does not change.
_GONE = frozenset({403, 404, 410})
# Answers that another try, some seconds later, does change.
_BUSY = frozenset({429, 500, 502, 503, 504})
_LONGEST_WAIT_S = 60.0
_NEVER = datetime.min.replace(tzinfo=UTC)
# What the unpacker opens besides.
_OTHER_ARCHIVES = (".tgz", ".tar.bz2", ".tbz", ".tar.xz", ".txz", ".tar")


class PackageIndex:
    """A package index that speaks the simple repository protocol.

    Args:
        url: Its address; empty takes the client library's own default.
        download_bytes: Largest archive that is fetched.
        timeout_s: Longest wait for one answer, in seconds.
    """

    def __init__(self, url: str = "", *, download_bytes: int = 200 << 20, timeout_s: float = 60.0) -> None:
        self._url = url
        self._download_bytes = download_bytes
        self._timeout_s = timeout_s

    def newest(self, source: Source) -> tuple[SourceVersion, DistributionPackage]:
        """The newest release with a source archive, or the one that the source names.

        Pre-releases and yanked releases are passed over unless named.

        Raises:
            SourceRefusedError: no such package or release, or the release is yanked.
            SourceUnavailableError: the index does not answer.
        """
        packages = self._packages(source.name)
        by_version: dict[Version, list[DistributionPackage]] = {}
        for package in packages:
            try:
                by_version.setdefault(Version(package.version or ""), []).append(package)
            except InvalidVersion:
                continue
        if source.revision:
            return self._named(source, by_version)
        for version in sorted(by_version, reverse=True):
            usable = [package for package in by_version[version] if not package.is_yanked]
            if not version.is_prerelease and (archive := _archive(usable)) is not None:
                return _version(source, str(version), usable), archive
        raise SourceRefusedError(
            "has no release with an archive that is neither yanked nor a pre-release",
            thing=source.name,
            way_out="name a version, or remove the source",
        )

    def published(self, source: Source) -> list[SourceVersion]:
        """Every release, pre-releases and yanked ones too, oldest first; before them those without a date.

        Releases that cannot be read are there as well: what they held nobody knows.

        Raises:
            SourceRefusedError: no such package.
            SourceUnavailableError: the index does not answer.
        """
        by_version: dict[str, list[DistributionPackage]] = {}
        for package in self._packages(source.name):
            by_version.setdefault(package.version or package.filename, []).append(package)
        found = [_version(source, version, packages) for version, packages in by_version.items()]
        return sorted(found, key=lambda each: (each.released_at or _NEVER, each.version))

    def archive_of(self, source: Source, version: str) -> DistributionPackage:
        """The archive of one release, yanked or not: for reading what once was public.

        Raises:
            SourceRefusedError: the release has none.
            SourceUnavailableError: the index does not answer.
        """
        packages = self._packages(source.name)
        found = readable([package for package in packages if _is_same(package.version or package.filename, version)])
        if found is None:
            raise SourceRefusedError(f"has no release {version} with an archive", thing=source.name)
        return found

    def _named(
        self, source: Source, by_version: dict[Version, list[DistributionPackage]]
    ) -> tuple[SourceVersion, DistributionPackage]:
        try:
            found = by_version.get(Version(source.revision), [])
        except InvalidVersion:
            found = []
        archive = _archive(found)
        if archive is None:
            raise SourceRefusedError(
                f"has no release {source.revision} with an archive",
                thing=source.name,
                way_out="see the versions that the index lists, or leave the version out",
            )
        if all(package.is_yanked for package in found):
            raise SourceRefusedError(
                f"release {source.revision} was yanked: {archive.yanked_reason or 'no reason given'}",
                thing=source.name,
                way_out="name another version, or leave the version out",
            )
        return _version(source, source.revision, found), archive

    def _packages(self, name: str) -> list[DistributionPackage]:
        try:
            for attempt in stamina.retry_context(on=RequestException, attempts=4, timeout=60.0):
                with attempt, self._client() as client:
                    return client.get_project_page(name, timeout=self._timeout_s).packages
        except NoSuchProjectError as error:
            raise SourceRefusedError(
                "is no package of the index", thing=name, way_out="check the spelling, or remove the source"
            ) from error
        except RequestException as error:
            raise SourceUnavailableError(
                f"the package index does not answer: {type(error).__name__}",
                thing=name,
                way_out="it is asked again later; check the network and TOUCHSTONE_PACKAGE_INDEX_URL",
            ) from error
        raise AssertionError("unreachable: the retry context returns or raises")

    def _client(self) -> PyPISimple:
        return PyPISimple(self._url) if self._url else PyPISimple()

    def download(self, package: DistributionPackage, target: Path) -> None:
        """Fetch an archive and check its hash.

        Raises:
            SourceRefusedError: it is too large, has no hash, or its hash is wrong.
            SourceUnavailableError: the download broke.
        """
        expected = package.digests.get("sha256", "")
        if not expected:
            raise SourceRefusedError(
                "the index gives no SHA-256", thing=package.filename, way_out="use another release"
            )
        try:
            for attempt in stamina.retry_context(on=_asks_again, attempts=4, timeout=300.0):
                with attempt:
                    digest = self._fetch(package, target)
        except httpx.HTTPStatusError as error:
            status = error.response.status_code
            if status in _GONE:
                raise SourceRefusedError(
                    f"the index lists it and does not give it: HTTP {status}",
                    thing=package.filename,
                    way_out="use another release",
                ) from error
            raise _broken(package, f"HTTP {status}") from error
        except httpx.HTTPError as error:
            raise _broken(package, type(error).__name__) from error
        if digest != expected:
            target.unlink(missing_ok=True)
            raise SourceRefusedError(
                "what came is not what the index promised: its SHA-256 differs",
                thing=package.filename,
                way_out="something between here and the index changes files; nothing of it was used",
            )

    def _fetch(self, package: DistributionPackage, target: Path) -> str:
        digest = hashlib.sha256()
        size = 0
        with (
            httpx.stream("GET", package.url, timeout=self._timeout_s, follow_redirects=True) as answer,
            target.open("wb") as out,
        ):
            answer.raise_for_status()
            for chunk in answer.iter_bytes(_CHUNK):
                size += len(chunk)
                if size > self._download_bytes:
                    raise SourceRefusedError(
                        f"is larger than {self._download_bytes} bytes",
                        thing=package.filename,
                        way_out="raise TOUCHSTONE_DOWNLOAD_BYTES, or remove the source",
                    )
                digest.update(chunk)
                out.write(chunk)
        return digest.hexdigest()


def _asks_again(error: Exception) -> bool | float:
    """Whether a file is asked for once more; the seconds until then, where the index names them."""
    if not isinstance(error, httpx.HTTPStatusError):
        return isinstance(error, httpx.TransportError)
    if error.response.status_code not in _BUSY:
        return False
    wait = error.response.headers.get("Retry-After", "")
    return min(float(wait), _LONGEST_WAIT_S) if wait.isdecimal() else True


def _broken(package: DistributionPackage, why: str) -> SourceUnavailableError:
    return SourceUnavailableError(
        f"the download broke: {why}", thing=package.filename, way_out="it is tried again later"
    )


def _is_same(one: str, other: str) -> bool:
    """Whether two texts name one version: 1.0 is v1.0.0, and 2026.01.05 is 2026.1.5."""
    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return one == other


def _archive(packages: list[DistributionPackage]) -> DistributionPackage | None:
    """The source archive, else a pure-Python wheel."""
    for kind, ending in (("sdist", (".tar.gz", ".zip")), ("wheel", ("-none-any.whl",))):
        for package in sorted(packages, key=lambda package: package.filename):
            if package.package_type == kind and package.filename.endswith(ending):
                return package
    return None


def readable(packages: list[DistributionPackage]) -> DistributionPackage | None:
    """The archive from which a release's code can be read.

    Like `_archive`, else a source archive in another form, else the smallest wheel of any platform.
    """
    others = (each for each in packages if each.package_type == "sdist" and each.filename.endswith(_OTHER_ARCHIVES))
    wheels = [package for package in packages if package.package_type == "wheel"]
    return (
        _archive(packages)
        or min(others, key=lambda each: each.filename, default=None)
        or min(wheels, key=lambda each: (each.size or 0, each.filename), default=None)
    )


def _version(source: Source, version: str, packages: list[DistributionPackage]) -> SourceVersion:
    dates = [package.upload_time for package in packages if package.upload_time]
    released: datetime | None = min(dates).astimezone(UTC) if dates else None
    return SourceVersion(version, released, canonicalize_name(source.name))
