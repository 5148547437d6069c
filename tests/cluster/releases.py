"""The release of before, this one, and that of before again, with hundreds of events in flight at each change."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import backup
import disturbing
import installed

from touchstone_local.cluster import building, installing
from touchstone_local.cluster.installing import RELEASE
from touchstone_local.settings import checkout

# Before the newest change of any schema: what is in flight meets what ran on the older one and runs on the newer.
_SCHEMAS = ":(glob)services/*/src/*/migrations/versions/*.py"
_REVISIONS = """
SELECT string_agg(format('SELECT %L AS name, version_num FROM %I.alembic_version', schemaname, schemaname), ' UNION ')
FROM pg_tables WHERE tablename = 'alembic_version'
"""
_NEWER = "schema_is_newer"


def changed(_seconds: float) -> dict[str, Any]:
    """Upgrade and go back as k8s/README.md says, each in the middle of hundreds of events; this one again at last."""
    layout = installed.layout()
    (backend,) = json.loads((layout.state / "values.json").read_text())["executor"].values()
    commit, before = _release_of_before(Path(layout.state, "before"))
    _give_images(before)
    schemas: list[dict[str, str]] = []
    tags: list[set[str]] = []

    def look() -> None:
        schemas.append(_revisions())
        tags.append(_tags())

    def change(act: Any) -> Any:
        def disturb(functions: str) -> list[int]:
            disturbing.reached(functions, 1)
            at = disturbing.indexed(functions)
            act()
            look()
            return [at, disturbing.indexed(functions)]

        return disturb

    backup.remove()
    try:
        installing.install(layout, backend, _quiet, root=before)
        look()
        up = disturbing.taken_in("upgraded", change(lambda: installing.install(layout, backend, _quiet)))
        down = disturbing.taken_in("gone_back", change(lambda: installing.roll_back(layout, _quiet)))
        older = [name for name in ("retriever", "annotator", "evaluator") if _NEWER in _log(name)]
    finally:
        installing.install(layout, backend, _quiet)
    ran = [len(each) for each in tags] == [1, 1, 1] and tags[0] == tags[2] != tags[1]
    grown = sorted(name for name, revision in schemas[1].items() if schemas[0][name] != revision)
    problem = up["problem"] or down["problem"]
    if not ran:
        problem = problem or f"other images ran than were to: {[sorted(each) for each in tags]}"
    if not grown or schemas[2] != schemas[1] or not older:
        problem = problem or "no schema was newer than what ran on it"
    return {
        "before": commit, "upgraded": up, "gone_back": down, "schemas_changed": grown, "ran_on_a_newer_schema": older,
        "problem": problem,
    }  # fmt: skip


def _release_of_before(folder: Path) -> tuple[str, Path]:
    """The sources of the commit before the newest change of a schema, in a folder."""
    newest = _git("log", "-1", "--format=%H", "--diff-filter=A", "--", _SCHEMAS).decode().strip()
    commit = _git("rev-parse", "--short=12", f"{newest}^").decode().strip()
    place = folder / commit
    if not place.is_dir():
        draft = place.with_suffix(".draft")
        draft.mkdir(parents=True, exist_ok=True)
        with (
            subprocess.Popen(["git", "archive", commit], cwd=checkout(), stdout=subprocess.PIPE) as writing,
            tarfile.open(fileobj=writing.stdout, mode="r|") as archive,
        ):
            archive.extractall(draft, filter="data")
        draft.rename(place)
    return commit, place


def _give_images(root: Path) -> None:
    """Have the images of other sources on the node; their archives are large, and are not kept beside it."""
    if not installing.missing(installed.layout(), root):
        return
    installing.give_images(installed.layout(), _quiet, root)
    for image in building.IMAGES:
        tag = building.reference(image, root).rpartition(":")[2]
        Path(installed.layout().cache, "cluster", "images", f"{image.name}-{tag}.tar").unlink(missing_ok=True)


def _revisions() -> dict[str, str]:
    """The newest change of each service's schema that the database has."""
    answer = installed.sql(installed.sql(_REVISIONS))
    return dict(line.split("|") for line in answer.splitlines())


def _tags() -> set[str]:
    """Of the images that the services' deployments name."""
    words = ("get", "deployments", "-l", f"app.kubernetes.io/part-of={RELEASE}", "-o", "json")
    listed = json.loads(installed.kubectl(*words))["items"]
    return {each["spec"]["template"]["spec"]["containers"][0]["image"].rpartition(":")[2] for each in listed}


def _log(service: str) -> str:
    return installed.kubectl("logs", f"deployment/{RELEASE}-{service}", "--tail=-1")


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=checkout(), capture_output=True, check=True).stdout


def _quiet(_words: str) -> None:
    """Nobody is told: the step's line says what came of it."""
