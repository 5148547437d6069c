"""Git repositories: a revision's files, and the date of each line's last change."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

from ingester.adapters.file_facts import defines, file_time, holds_python, may_hold_python, python_by_name
from ingester.adapters.trees import LEFT_OUT
from ingester.errors import SourceRefusedError, SourceUnavailableError
from ingester.ports import SourceFile, Step
from touchstone_runtime.settings import network_variables

_SCHEMES = ("https://", "ssh://", "file://")
_CREDENTIALS = re.compile(r"//[^/@\s]+@")
_LOOK_EVERY_S = 0.5
_CHUNK = 1 << 20
_REVISION = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._/-]*$")
# Nothing that a repository brings may run, and no other protocol may be reached through it.
_SAFE = (
    *("-c", "protocol.allow=never", "-c", "protocol.https.allow=always", "-c", "protocol.ssh.allow=always"),
    *("-c", "protocol.file.allow=always", "-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false"),
    *("-c", "core.fsmonitor=false", "-c", "credential.helper=", "-c", "safe.directory=*"),
    *("-c", "submodule.recurse=false", "-c", "filter.lfs.smudge=", "-c", "filter.lfs.required=false"),
)


class GitRepository:
    """Reads repositories through the git program.

    Args:
        token: Bearer token for private repositories over https; never logged, never in a command line.
        token_host: `host` or `host:port` that the token belongs to; git shows it to no other.
        timeout_s: Longest wait for one git command, in seconds.
        most_bytes: Most that a clone may take on disk, history and files together.
    """

    def __init__(
        self, token: str = "", token_host: str = "", timeout_s: float = 600.0, most_bytes: int = 1 << 30
    ) -> None:
        self._most_bytes = most_bytes
        self._token = token if token_host else ""
        self._token_host = token_host
        self._timeout_s = timeout_s
        self._program = shutil.which("git") or ""

    def head(self, url: str, revision: str) -> str:
        """The commit that a revision names now; an empty revision is the default branch.

        Raises:
            SourceRefusedError: the address or the revision is not usable.
            SourceUnavailableError: the repository does not answer.
        """
        address = _address(url)
        if revision and not _REVISION.match(revision):
            raise SourceRefusedError(f"{revision!r} is no revision", thing=url, way_out="name a branch, tag or commit")
        if re.fullmatch(r"[0-9a-f]{40}", revision):
            return revision
        full = [revision or "HEAD"] if revision in ("", "HEAD") or revision.startswith("refs/") else []
        names = full or [f"refs/heads/{revision}", f"refs/tags/{revision}", f"refs/{revision}"]
        # For an annotated tag the peeled line names the commit.
        listed = self._git(url, "ls-remote", "--", address, *names, *(f"{name}^{{}}" for name in names))
        # A pattern is met by all names that end in it.
        known = {name: commit for commit, _, name in (line.partition("\t") for line in listed.splitlines())}
        found = {name: known.get(f"{name}^{{}}", known.get(name, "")) for name in names if name in known}
        if not found:
            raise SourceRefusedError(
                f"has no revision {revision or 'HEAD'}", thing=url, way_out="name a branch, tag or commit"
            )
        if len(set(found.values())) > 1:
            raise SourceRefusedError(
                f"{revision} names several things of it: {', '.join(found)}", thing=url, way_out="name one of these"
            )
        return next(iter(found.values()))

    def checkout(self, url: str, commit: str, target: Path) -> datetime:
        """Clone into a folder and check a commit out; gives the commit's date.

        Raises:
            SourceRefusedError: the commit is not there.
            SourceUnavailableError: the repository does not answer.
        """
        self._git(
            url, "clone", "--quiet", "--no-checkout", "--no-tags", "--", _address(url), str(target), growing=target
        )
        own = ("-C", str(target))
        if not self._git(url, *own, "rev-list", "--ignore-missing", "--max-count=1", commit):
            # A tag's commit may be on no branch.
            self._git(url, *own, "fetch", "--quiet", "--no-tags", "origin", commit, refuse=True, growing=target)
        self._git(url, *own, "checkout", "--quiet", "--detach", commit, refuse=True, growing=target)
        return _date(self._git(url, "-C", str(target), "log", "-1", "--format=%ct", commit).strip())

    def main_line(self, clone: Path) -> Sequence[Step]:
        """The commits that were the newest of the branch in their turn, oldest first.

        Raises:
            SourceUnavailableError: git failed.
        """
        told = ("log", "--format=%H\t%ct\t%at\t%P", "HEAD")
        commits: dict[str, tuple[datetime, datetime, list[str]]] = {}
        for row in self._git(str(clone), "-C", str(clone), *told).splitlines():
            own, committed, authored, parents = row.split("\t")
            commits[own] = _date(committed), _date(authored), parents.split()
        line: list[str] = []
        # The newest is listed first.
        place = next(iter(commits), "")
        while place in commits:
            line.append(place)
            place = next(iter(commits[place][2]), "")
        seen: set[str] = set()
        steps: list[Step] = []
        for commit in reversed(line):
            at = earliest = commits[commit][0]
            waiting = [commit]
            while waiting:
                each = waiting.pop()
                if each in commits and each not in seen:
                    seen.add(each)
                    committed_at, authored_at, before = commits[each]
                    earliest = min(earliest, committed_at, authored_at)
                    waiting += before
            steps.append(Step(commit, at, earliest))
        # What a clock that was put forward called later was there before the commit after it.
        for nth in range(len(steps) - 2, -1, -1):
            at = min(steps[nth].at, steps[nth + 1].at)
            steps[nth] = steps[nth]._replace(at=at, earliest=min(at, steps[nth].earliest))
        return steps

    def begins(self, clone: Path) -> datetime | None:
        """Where a clone's history is cut off, the date of the newest commit that it begins with; else none."""
        cut = self._cut(clone)
        if not cut:
            return None
        shown = self._git(str(clone), "-C", str(clone), "show", "--no-patch", "--format=%ct", *cut)
        return max(_date(line) for line in shown.split())

    def _cut(self, clone: Path) -> list[str]:
        try:
            return (clone / ".git" / "shallow").read_text().split()
        except FileNotFoundError:
            return []

    def files_before(self, clone: Path, date: datetime, file_bytes: int) -> Iterator[SourceFile]:
        """The files of every commit that is older than a date and was built upon since then; each content once.

        Of a history that is cut off, what it begins with counts as older. See `files_of` for all else.
        """
        yield from self.files_of(clone, self._older(clone, date), file_bytes)

    def files_of(self, clone: Path, commits: Sequence[str], file_bytes: int) -> Iterator[SourceFile]:
        """The files of commits that may hold Python functions; each content once.

        Args:
            clone: Where it was checked out.
            commits: Their names.
            file_bytes: Larger files have a problem instead of their content, where they may define functions.

        Raises:
            SourceRefusedError: the files are larger than a clone may be.
            SourceUnavailableError: git failed.
        """
        files: dict[str, tuple[str, int]] = {}
        for commit in commits:
            listed = self._git(str(clone), "-C", str(clone), "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
            for entry in listed.split("\0"):
                about, _, path = entry.partition("\t")
                folder, _, name = path.rpartition("/")
                if about.startswith("100") and may_hold_python(name) and not LEFT_OUT & {*folder.split("/")}:
                    _, _, blob, size = about.split()
                    if python_by_name(name) or int(size) <= file_bytes:
                        files.setdefault(blob, (path, int(size)))
        if sum(size for _, size in files.values()) > self._most_bytes:
            raise self._too_large(str(clone))
        yield from self._contents(clone, files, file_bytes)

    def _older(self, clone: Path, date: datetime) -> list[str]:
        """Commits before a date that later ones have for parents."""
        own = ("-C", str(clone))
        lines = self._git(str(clone), *own, "rev-list", "--parents", f"--since={date.isoformat()}", "HEAD").splitlines()
        later = {line.split()[0] for line in lines}
        if not later:
            return [self._git(str(clone), *own, "rev-parse", "HEAD").strip()]
        parents = {parent for line in lines for parent in line.split()[1:]} - later
        return sorted(parents | (later & {*self._cut(clone)}))

    def _contents(self, clone: Path, files: Mapping[str, tuple[str, int]], file_bytes: int) -> Iterator[SourceFile]:
        """What is in blobs, one after the other."""
        with tempfile.TemporaryFile() as asked:
            asked.write("".join(f"{blob}\n" for blob in files).encode())
            asked.seek(0)
            command = [self._program, *_SAFE, "-C", str(clone), "cat-file", "--batch"]
            with subprocess.Popen(
                command, env=self._environment(), stdin=asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            ) as process:
                late = threading.Timer(self._timeout_s, process.kill)
                late.start()
                try:
                    answers = process.stdout
                    for path, size in files.values():
                        if answers is None or not answers.readline():
                            raise SourceUnavailableError(
                                "git failed to read its history", thing=str(clone), way_out="it is tried again later"
                            )
                        chunks = _chunks(answers, size)
                        if size <= file_bytes:
                            content = b"".join(chunks)
                            if holds_python(path.rpartition("/")[2], content):
                                yield SourceFile(path, content)
                        elif defines(chunks):
                            yield SourceFile(path, b"", problem=f"is larger than {file_bytes} bytes")
                        answers.read(1)
                finally:
                    late.cancel()
                    process.kill()

    def line_dates(self, folder: Path, path: str) -> Sequence[datetime]:
        """Date of the last change of each line of a file, from history; empty when git cannot tell.

        Of a commit's two dates the earlier one: whoever rebases a commit, or takes one over, dates it anew.
        """
        try:
            blamed = self._git(path, "-C", str(folder), "blame", "--line-porcelain", "-w", "-M", "HEAD", "--", path)
        except (SourceRefusedError, SourceUnavailableError):
            return ()
        # Text of the file may hold what other ways to split take for ends of lines.
        told = blamed.split("\n")
        committed, authored = (
            [_date(each.removeprefix(name)) for each in told if each.startswith(name)]
            for name in ("committer-time ", "author-time ")
        )
        return [min(dates) for dates in zip(committed, authored, strict=False)]

    def _git(
        self,
        thing: str,
        *arguments: str,
        refuse: bool = False,
        growing: Path | None = None,
    ) -> str:
        if not self._program:
            raise SourceRefusedError("git is not installed", thing=thing, way_out="install git")
        try:
            done = self._run([self._program, *_SAFE, *arguments], self._environment(), growing)
        except _TooLargeError as error:
            raise self._too_large(thing) from error
        except subprocess.TimeoutExpired as error:
            raise SourceUnavailableError(
                f"git took longer than {self._timeout_s:.0f} s", thing=_public(thing), way_out="it is tried again later"
            ) from error
        if done.returncode:
            words = _public(done.stderr.decode(errors="replace").strip().splitlines()[-1:][0] if done.stderr else "")
            kind = SourceRefusedError if refuse else SourceUnavailableError
            raise kind(f"git failed: {words}", thing=_public(thing), way_out="check the address and the access")
        return done.stdout.decode(errors="replace")

    def _environment(self) -> dict[str, str]:
        environment = {
            "PATH": os.defpath,
            "HOME": "/nonexistent",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
            "LC_ALL": "C",
            **network_variables(),
        }
        if self._token:
            place = f"http.https://{self._token_host}/"
            environment |= {
                "GIT_CONFIG_COUNT": "2",
                "GIT_CONFIG_KEY_0": f"{place}.extraHeader",
                "GIT_CONFIG_VALUE_0": f"Authorization: Bearer {self._token}",
                # Where its host sends git to another, git would show the token there too.
                "GIT_CONFIG_KEY_1": f"{place}.followRedirects",
                "GIT_CONFIG_VALUE_1": "false",
            }
        return environment

    def _too_large(self, thing: str) -> SourceRefusedError:
        return SourceRefusedError(
            f"takes more than {self._most_bytes} bytes",
            thing=_public(thing),
            way_out="raise TOUCHSTONE_CLONE_BYTES, or remove the source",
        )

    def _run(
        self, command: list[str], environment: dict[str, str], growing: Path | None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git; where a folder grows meanwhile, no larger than it may."""
        with subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            end = time.monotonic() + self._timeout_s
            try:
                while True:
                    try:
                        out, err = process.communicate(timeout=_LOOK_EVERY_S)
                        if growing is not None and _size(growing) > self._most_bytes:
                            raise _TooLargeError
                        return subprocess.CompletedProcess(command, process.returncode, out, err)
                    except subprocess.TimeoutExpired:
                        if time.monotonic() > end:
                            raise
                        if growing is not None and _size(growing) > self._most_bytes:
                            raise _TooLargeError from None
            finally:
                # git's helpers are in its session, and go with it.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


class _TooLargeError(Exception):
    """A clone grew beyond what it may take."""


def _size(folder: Path) -> int:
    """Bytes on disk below a folder, as far as they hold still."""
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(base) / name).lstat().st_blocks * 512
    return total


def _address(url: str) -> str:
    """The address as git takes it: a known protocol, or a local path."""
    if url.startswith(_SCHEMES):
        return url
    if "://" in url or re.match(r"^[\w.-]+@[\w.-]+:", url):
        raise SourceRefusedError(
            "uses a protocol that is not allowed", thing=_public(url), way_out=f"use one of {', '.join(_SCHEMES)}"
        )
    path = Path(url).expanduser()
    if not path.is_dir():
        raise SourceRefusedError("is no repository", thing=url, way_out="name a folder with a git repository, or a URL")
    return str(path.resolve())


def _public(text: str) -> str:
    """The text without credentials in URLs."""
    return _CREDENTIALS.sub("//", text)


def _date(seconds: str) -> datetime:
    """A date as git writes it; of what is no date the earliest one."""
    return file_time(float(seconds) if re.fullmatch(r"-?\d{1,18}", seconds) else 0.0)


def _chunks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0 and (chunk := stream.read(min(size, _CHUNK))):
        size -= len(chunk)
        yield chunk
