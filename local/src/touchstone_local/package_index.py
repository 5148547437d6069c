"""Files of packages on the package index that this machine is set up to use."""

from __future__ import annotations

import configparser
from pathlib import Path

import httpx
from pypi_simple import PYPI_SIMPLE_ENDPOINT, DistributionPackage, ProjectPage

from touchstone_local.download import Wanted
from touchstone_local.errors import LocalError
from touchstone_local.settings import setting

ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.2"


def address() -> str:
    """The index in force: ours, pip's or uv's setting, pip's configuration file, or the public default."""
    for name in ("TOUCHSTONE_PACKAGE_INDEX", "PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        if setting(name):
            return setting(name).rstrip("/")
    home = Path(setting("HOME", "/nonexistent"))
    for path in (
        Path(setting("PIP_CONFIG_FILE", "/nonexistent")),
        home / ".config/pip/pip.conf",
        Path("/etc/pip.conf"),
    ):
        parser = configparser.ConfigParser(interpolation=None)
        try:
            parser.read(path)
        except (configparser.Error, OSError):
            continue
        configured = parser.get("global", "index-url", fallback="")
        if configured:
            return configured.rstrip("/")
    return PYPI_SIMPLE_ENDPOINT.rstrip("/")


def _page(name: str, http: httpx.Client) -> ProjectPage:
    try:
        response = http.get(f"{address()}/{name}/", headers={"Accept": ACCEPT})
        response.raise_for_status()
    except httpx.HTTPStatusError as error:
        raise LocalError(
            f"the package index answers {error.response.status_code}",
            thing=name,
            way_out="check TOUCHSTONE_PACKAGE_INDEX, or name another source of the model",
        ) from error
    except httpx.HTTPError as error:
        raise LocalError(
            f"the package index cannot be reached ({type(error).__name__}: {error})",
            thing=name,
            way_out="check the network and run the command again",
        ) from error
    if "json" in response.headers.get("content-type", ""):
        return ProjectPage.from_json_data(response.json(), str(response.url))
    return ProjectPage.from_html(name, response.text, str(response.url))


def find(requirement: str, http: httpx.Client, folder: Path) -> Wanted:
    """Find one file of `name==version`, a wheel where there is one.

    Args:
        requirement: Exact name and version.
        http: Client to ask with.
        folder: Where the file is to go.

    Returns:
        What to fetch.

    Raises:
        LocalError: the index has no such file, or only a withdrawn one.
    """
    name, _, version = requirement.partition("==")
    packages: list[DistributionPackage] = [
        package
        for package in _page(name, http).packages
        if package.version == version and package.package_type in ("wheel", "sdist")
    ]
    if not packages:
        raise LocalError("the package index has no such version", thing=requirement, way_out="name another source")
    if all(package.is_yanked for package in packages):
        raise LocalError("the version was withdrawn (yanked)", thing=requirement, way_out="name another source")
    packages.sort(key=lambda package: (package.is_yanked, package.package_type != "wheel"))
    best = packages[0]
    return Wanted(best.url, folder / best.filename, best.digests.get("sha256", ""), best.size or 0)
