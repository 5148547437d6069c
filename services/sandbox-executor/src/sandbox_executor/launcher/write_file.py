"""Writes a file into the working folder of a session: run beside candidates, as their user and behind their walls.

`write_file.py PATH` reads the content from its standard input. Whatever earlier programs made of the path, nothing
is reached that they could not reach themselves; links are not followed, and what lies there is replaced at once.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20


def write(path: str, source: int) -> None:
    """Put what `source` gives in place of what lies at `path`, beneath the current folder.

    Raises:
        OSError: a link, a file or no room is in the way.
    """
    *folders, name = path.split("/")
    here = os.open(".", _FOLDER)
    for folder in folders:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o755, dir_fd=here)
        # Nothing else runs, so what is seen stays. Asked for by name: gVisor follows links to folders in spite of
        # O_NOFOLLOW.
        if not stat.S_ISDIR(os.stat(folder, dir_fd=here, follow_symlinks=False).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, f"{folder} on the way is no folder, or a link")
        inner = os.open(folder, _FOLDER, dir_fd=here)
        os.close(here)
        here = inner
    # A name of its own until it is whole: a full disk shall not cost what was there before.
    draft = f".{os.getpid()}.draft"
    target = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=here)
    try:
        while data := os.read(source, _CHUNK):
            while data:
                data = data[os.write(target, data) :]
        os.rename(draft, name, src_dir_fd=here, dst_dir_fd=here)
    except OSError:
        os.unlink(draft, dir_fd=here)
        raise


if __name__ == "__main__":
    try:
        write(sys.argv[1], 0)
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        sys.exit(1)
