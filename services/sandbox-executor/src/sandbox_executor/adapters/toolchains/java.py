"""Java: the harness and the Eclipse compiler in one archive, with a cache of loaded and profiled classes beside it."""

from __future__ import annotations

import hashlib
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from sandbox_executor.adapters.toolchains.building import content_key, run_tool
from sandbox_executor.adapters.toolchains.runtimes import Runtime
from sandbox_executor.errors import JobRefusedError, SandboxFaultError
from touchstone_runtime.building import build_once
from touchstone_runtime.settings import network_variables

ECJ_VERSION = "3.44.0"
_ECJ_SHA256 = "14c46ddc2e511c46c998da728f6a80f13a689c920f3832402f7ad150f6a6188d"
# The newest version of the language that this compiler knows; `NEWEST` in the harness's compiler.
NEWEST_LEVEL = 25
_RECIPE = "1"
_MANIFEST = "Manifest-Version: 1.0\r\nMain-Class: touchstone.Main\r\nAdd-Opens: java.base/java.io\r\n\r\n"
# One thread's collector starts fastest and needs least beside the heap; hsperfdata would only fill /tmp. The second
# compiler spends more on a job of some hundred short calls (0.15 CPU-seconds) than its better code ever saves.
_OPTIONS = ["-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1"]
# A cache of profiles in one step; before that version a plain archive of classes.
_CACHE_SINCE = 25
_TRAINING_ROUNDS = 150


def told_version(runtime: Runtime) -> str:
    """The version of a Java runtime, with that of the language where the compiler does not know as new a one."""
    older = runtime.feature > NEWEST_LEVEL
    return f"{runtime.version}, language level {NEWEST_LEVEL}" if older else runtime.version


def find_compiler(configured: Path | None, state: Path) -> Path:
    """The Eclipse compiler's archive: named by settings, already fetched, or fetched now.

    Raises:
        JobRefusedError: it cannot be had.
    """
    name = f"ecj-{ECJ_VERSION}.jar"
    own = state / "sandbox" / "jars" / name
    for path in (configured, state / "jars" / "ecj" / name, own):
        if path is not None and path.is_file():
            return path
    if configured is not None:
        raise JobRefusedError(
            f"no archive at {configured}", thing="TOUCHSTONE_ECJ_JAR", way_out="correct or unset the setting"
        )
    _fetch(own)
    return own


def _fetch(target: Path) -> None:
    way_out = f"put org.eclipse.jdt:ecj:{ECJ_VERSION} somewhere and name it by TOUCHSTONE_ECJ_JAR"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        command = [sys.executable, "-m", "jgo", "--repo-cache", scratch]
        # jgo finds its mirror in the user's own settings, therefore the real home folder.
        environment = {**network_variables(), "HOME": str(Path.home()), "JGO_CACHE_DIR": f"{scratch}/jgo"}
        try:
            run_tool([*command, "info", "classpath", f"org.eclipse.jdt:ecj:{ECJ_VERSION}"], environment=environment)
        except SandboxFaultError as error:
            raise JobRefusedError(
                f"the Java compiler cannot be fetched: {error}", thing="ecj", way_out=way_out
            ) from error
        found = next(iter(Path(scratch).rglob(target.name)), None)
        data = found.read_bytes() if found is not None else b""
    if hashlib.sha256(data).hexdigest() != _ECJ_SHA256:
        raise JobRefusedError("the Java compiler that was fetched is not the right one", thing="ecj", way_out=way_out)
    draft = target.with_suffix(f".{os.getpid()}")
    draft.write_bytes(data)
    draft.rename(target)


def build(runtime: Runtime, compiler: Path, harness: Path, root: Path, inside: str) -> Path:
    """Have the Java harness.

    Args:
        runtime: The Java runtime.
        compiler: The Eclipse compiler's archive.
        harness: Folder of the harness's Java sources.
        root: Folder of all toolchains.
        inside: Where `root` lies inside the sandbox.
    """
    sources = sorted((harness / "touchstone").glob("*.java"))
    training = sorted(harness.glob("training/*"))
    key = content_key([*sources, *training, compiler], runtime.version, *_OPTIONS, _RECIPE)
    name = f"java-{key}"
    return build_once(
        root / name, lambda folder: _build(runtime, compiler, sources, harness / "training", folder, f"{inside}/{name}")
    )


def _build(
    runtime: Runtime, compiler: Path, sources: list[Path], training: Path, folder: Path, inside: str
) -> None:  # fmt: skip
    java = str(runtime.executable)
    archive = folder / "harness.jar"
    with tempfile.TemporaryDirectory() as scratch:
        classes = Path(scratch)
        flags = ["-21", "-nowarn", "-proc:none", "-cp", str(compiler), "-d", scratch]
        run_tool([java, "-jar", str(compiler), *flags, *map(str, sources)])
        _merge(compiler, classes, archive)
    if runtime.feature >= _CACHE_SINCE:
        made, making, using = "harness.aot", "-XX:AOTCacheOutput={}", "-XX:AOTCache={}"
    else:
        made, making, using = "harness.jsa", "-XX:ArchiveClassesAtExit={}", "-XX:SharedArchiveFile={}"
    _train([java, *_OPTIONS, "-Xmx256m", making.format(folder / made), "-jar", str(archive)], training)
    # A runtime without an archive of its own classes to build upon makes none; jobs then start without, and slower.
    cache = [using.format(f"{inside}/{made}")] if (folder / made).is_file() else []
    options = [*_OPTIONS, *cache, "-Xlog:disable"]
    (folder / "jvm.options").write_text("\n".join(options) + "\n")


def _merge(compiler: Path, classes: Path, archive: Path) -> None:
    """One archive of both, uncompressed and unsigned: classes of a signed one are neither cached nor quick to load."""
    with zipfile.ZipFile(compiler) as source, zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as target:

        def put(name: str, data: bytes) -> None:
            target.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)

        put("META-INF/MANIFEST.MF", _MANIFEST.encode())
        for name in sorted(source.namelist()):
            if not name.startswith("META-INF/") and not name.endswith("/") and name != "module-info.class":
                put(name, source.read(name))
        for path in sorted(classes.rglob("*.class")):
            put(path.relative_to(classes).as_posix(), path.read_bytes())


def _train(command: list[str], training: Path) -> None:
    """Run the harness once on a program of our own, so that the cache knows what a job loads and calls."""
    cases = (training / "cases.jsonl").read_text().splitlines()
    order = '{"source":"%s","entry":"train","options":{}}' % (training / "Training.java")
    texts = [order]
    for number in range(_TRAINING_ROUNDS * len(cases)):
        texts.append(f'{{"i":{number},"args":{cases[number % len(cases)]}}}')
    frames = b"".join(struct.pack(">I", len(text.encode())) + text.encode() for text in texts)
    with tempfile.TemporaryFile() as requests, tempfile.TemporaryFile() as responses:
        requests.write(frames)
        requests.seek(0)
        # The harness wants its channels as descriptors 3 and 4.
        shell = ["/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null', "sh", *command]
        done = subprocess.run(
            shell,
            stdin=requests,
            stdout=responses,
            stderr=subprocess.PIPE,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
            timeout=300,
            check=False,
        )
        responses.seek(0)
        answers = responses.read()
    if done.returncode != 0 or answers.count(b'"o":"returned"') < _TRAINING_ROUNDS:
        words = done.stderr.decode(errors="replace")[-1000:] or answers[:1000].decode(errors="replace")
        raise SandboxFaultError(f"the Java harness does not run: {words}", thing=command[0])
