# SPDX-License-Identifier: MIT
"""One copy of a model's weights for all processes: files of a cache, which each of them maps.

The library writes the optimized model, with the weights as its kernels repack them, into a folder
that the content of the model and all else that matters name. Later sessions of that model map it.
"""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b, file_digest
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from ortcffi._native import lib
from ortcffi.models.contents import external_files_of
from ortcffi.models.model import Model
from ortcffi.options.session_options import SessionOptions

if TYPE_CHECKING:
    from ortcffi._convert import AnyPath
    from ortcffi.table.api import Api

_WRITING = {
    "session.optimized_model_external_initializers_min_size_in_bytes": "1024",
    "session.save_external_prepacked_constant_initializers": "1",
}
# Memory in which kernels repack weights, before they take those of the file, is not the arena's.
_READING = {"session.use_device_allocator_for_initializers": "1"}
# What changes the file, and has no name that is the same in another process.
_NOT_IN_THE_KEY = ("external_initializers", "external_files", "weightless_source", "op_domains")


class _SharedPath(str):
    """The path of a model in the cache."""

    __slots__ = ("model",)

    model: "AnyPath | bytes"  # what the model was made of; no bytes, where it was bytes


def shared_weights(
    make: Any, api: "Api", model: Any, options: SessionOptions | None, folder: Any
) -> tuple[str, SessionOptions]:
    """Return the path of a model whose weights are mapped, and the options for it.

    `make` is the class of sessions; `folder` that of the cache, or True.
    """
    if api.is_core or not isinstance(model, (str, os.PathLike, bytes)):
        raise ValueError("share_weights is for the path or the bytes of a model, on ONNX Runtime")
    chosen = SessionOptions(api) if options is None else options.clone()
    cache = _folder(folder)
    name = "model.onnx" if isinstance(model, bytes) else os.path.basename(os.fspath(model))
    target = os.path.join(cache, _key(api, model, name, chosen))
    path = os.path.join(target, name)
    with _locked(f"{target}.lock"):
        if not os.path.exists(path):
            _write(make, api, model, chosen.clone(), path)
    chosen.optimization_level = lib.ORT_ENABLE_BASIC
    chosen.config.update(_READING)
    shared = _SharedPath(path)
    shared.model = b"" if isinstance(model, bytes) else model
    return shared, chosen


def _folder(given: Any) -> str:
    """Return the folder of the cache, in which only this user may write."""
    if given is True:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        given = os.path.join(home, "ortcffi", "weights")
    folder = os.path.abspath(os.fsdecode(given))
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
    except OSError as error:
        text = f"share_weights: {error.strerror}; give another folder"
        raise OSError(error.errno, text, folder) from None
    found = os.stat(folder)
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o022):
        raise PermissionError(f"others may write in the folder for shared weights, {folder!r}")
    return folder


def _key(api: "Api", model: Any, name: str, options: SessionOptions) -> str:
    digest: Any = None
    if isinstance(model, bytes):
        digest = blake2b(model)
    else:
        with open(model, "rb") as file:
            digest = file_digest(file, blake2b)
        files = external_files_of(Model.load(model))
        folder = os.path.dirname(os.path.abspath(os.fsdecode(model)))
        for each in sorted(files):
            found = os.stat(os.path.join(folder, each))
            digest.update(repr((each, found.st_ino, found.st_size, found.st_mtime_ns)).encode())
    processor: Any = platform.machine()
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        processor = sorted({line for line in lines if line.startswith(("model name", "flags"))})
    for each in _NOT_IN_THE_KEY:
        if options._values.get(each):
            raise ValueError(f"share_weights: options with {each} have files that nobody shares")
    dimensions = [tuple(each) for each in options.free_dimensions]
    providers = options._values.get("providers")
    changed = {name: x for name, x in options._changed().items() if not name.startswith("log_")}
    settings = changed, dict(options.config), dimensions, providers
    digest.update(repr((name, api.build_info, api.version_string, processor, settings)).encode())
    return str(digest.hexdigest()[:40])


@contextmanager
def _locked(path: str) -> Iterator[None]:
    """Have one process at a time write; where there are no such locks, the first one is kept."""
    with open(path, "ab", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        try:
            from fcntl import LOCK_EX, LOCK_UN, flock
        except ImportError:
            yield
            return
        flock(file, LOCK_EX)
        try:
            yield
        finally:
            flock(file, LOCK_UN)  # a child that was forked meanwhile has the file open still


def _write(make: Any, api: "Api", model: Any, options: SessionOptions, path: str) -> None:
    """Have the library write the optimized model beside the target, which is then whole."""
    target, name = os.path.split(path)
    cache, prefix = os.path.dirname(target), f"{os.path.basename(target)}.new"
    for left in os.listdir(cache):  # by a process that was killed
        if left.startswith(prefix):
            rmtree(os.path.join(cache, left), ignore_errors=True)
    beside = mkdtemp(dir=cache, prefix=prefix)  # for this user only
    try:
        options.optimized_model_path = os.path.join(beside, name)
        file = {"session.optimized_model_external_initializers_file_name": f"{name}.weights"}
        options.config.update(file | _WRITING)
        # That the model is for this processor is no news.
        options.log_severity = lib.ORT_LOGGING_LEVEL_ERROR
        make(model, options, api=api).close()
        for each in os.listdir(beside):
            os.chmod(os.path.join(beside, each), 0o600)
        with suppress(OSError):  # another process was first
            os.rename(beside, target)
    finally:
        rmtree(beside, ignore_errors=True)
