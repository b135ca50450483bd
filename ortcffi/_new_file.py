# SPDX-License-Identifier: MIT
"""Files that are written whole or not at all: what was at their path stays until then."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO


class NewFile:
    """A file that takes the place of another one once it is whole.

    A device, a pipe, or what a process has open, such as ``/dev/stdout``, is written itself: it is
    more than the file of a name. A link stays, and so do the permissions of a file.
    """

    def __init__(self, path: str) -> None:
        if path.endswith(os.sep):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self._target = os.path.realpath(path)
        self._mode: int | None = None
        try:
            found = os.stat(path)
        except FileNotFoundError:
            is_file = True
        else:
            if stat.S_ISDIR(found.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            is_file = stat.S_ISREG(found.st_mode) and not _is_open_file(path)
            self._mode = stat.S_IMODE(found.st_mode) if is_file else None
        folder = os.path.dirname(self._target)
        # Of no part of the name, which may be as long as the system allows.
        self._beside = os.path.join(folder, f".ortcffi-{os.urandom(8).hex()}") if is_file else None
        try:
            # Closed by `finish`.
            self._file: BinaryIO = open(  # noqa: SIM115
                self._beside or path, "xb" if is_file else "wb", opener=self.open_like
            )
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from None

    def open_like(self, path: str, flags: int) -> int:
        """Open the file with the old one's permissions, or fewer, from its first byte on."""
        return os.open(path, flags, 0o666 if self._mode is None else self._mode & 0o777)

    def take(self, content: Any) -> None:
        """Write the next bytes."""
        self._file.write(content)

    def finish(self) -> None:
        """Close it; all is written then."""
        self._file.close()

    def replace(self) -> None:
        """Have it take the place of the other one."""
        if self._beside is not None:
            # Some file systems have one mode for all files, and refuse to set any.
            if self._mode not in {None, stat.S_IMODE(os.stat(self._beside).st_mode)}:
                os.chmod(self._beside, self._mode)
            os.replace(self._beside, self._target)
            self._beside = None

    @property
    def is_in_place(self) -> bool:
        """Whether it has taken the place of the other one, also if an interrupt followed."""
        return self._beside is None or not os.path.lexists(self._beside)

    def drop(self) -> None:
        """Remove it, unless it has taken the place of the other one."""
        with suppress(OSError):
            self._file.close()
        if self._beside is not None:
            with suppress(OSError):
                os.unlink(self._beside)


def _is_open_file(path: str) -> bool:
    """Whether links lead to a file through what a process has open: then its name is not meant."""
    while os.path.islink(path):
        folder = os.path.realpath(os.path.dirname(path))
        if folder.startswith("/proc/"):
            return True
        path = os.path.join(folder, os.readlink(path))
    return False


@contextmanager
def new_file(path: str) -> Iterator[NewFile]:
    """Make a file for a block that writes it; it takes its place at the end of the block."""
    file = NewFile(path)
    try:
        yield file
        file.finish()
        file.replace()
    finally:
        file.drop()


def write_whole(path: "str | os.PathLike[str]", content: str | bytes) -> None:
    """Write a file; text as UTF-8, with the system's ends of lines."""
    data = content if isinstance(content, bytes) else content.replace("\n", os.linesep).encode()
    with new_file(os.fspath(path)) as file:
        file.take(data)
