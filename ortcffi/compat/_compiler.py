# SPDX-License-Identifier: MIT
"""Models compiled ahead of time, with the official package's names."""

import os
from collections.abc import Callable
from typing import Any

from ortcffi._convert import SIZE, UINT32
from ortcffi.compat._arguments import INT64, function, instance, number, string, switch
from ortcffi.compat._context_data import writer_of
from ortcffi.compat._delegates import fact
from ortcffi.compat._enums import GraphOptimizationLevel, OrtCompileApiFlags
from ortcffi.compat._environment import text
from ortcffi.compat._errors import Fail, each_method, translated
from ortcffi.compat._options import SessionOptions
from ortcffi.compat._values import OrtValue
from ortcffi.errors import InvalidArgument
from ortcffi.models.compile import compile_model
from ortcffi.models.compile_callbacks import StoredAt
from ortcffi.values.value import Value


class OrtExternalInitializerInfo:
    """Where the data of an initializer is kept outside a model."""

    def __init__(self, filepath: Any, file_offset: int, byte_size: int, /) -> None:
        offset = number("file_offset", file_offset, INT64)
        size = number("byte_size", byte_size, SIZE)
        self._stored = StoredAt(os.fspath(filepath), offset, size)

    filepath = fact("_stored.path")
    file_offset = fact("_stored.offset")
    byte_size = fact("_stored.size")


Locate = Callable[
    [str, OrtValue, OrtExternalInitializerInfo | None], OrtExternalInitializerInfo | None
]


def _failing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that each of its errors is raised as `Fail`."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            raise Fail(f"{type(error).__name__}: {error}") from error

    return call


def _located(function: Locate) -> Callable[..., StoredAt | None]:
    def locate(name: str, value: Value, stored: StoredAt | None) -> StoredAt | None:
        info = None if stored is None else OrtExternalInitializerInfo(*stored)
        answer = function(name, OrtValue._of(value), info)
        return None if answer is None else answer._stored

    return locate


@each_method(translated)
class ModelCompiler:
    """A model that execution providers compile."""

    def __init__(  # noqa: PLR0913, PLR0917  # as many as officially
        self,
        sess_options: SessionOptions,
        input_model_path_or_bytes: str | os.PathLike[str] | bytes,
        embed_compiled_data_into_model: bool = False,
        external_initializers_file_path: str | os.PathLike[str] | None = None,
        external_initializers_size_threshold: int = 1024,
        flags: int = OrtCompileApiFlags.NONE,
        graph_optimization_level: int = GraphOptimizationLevel.ORT_DISABLE_ALL,
        get_initializer_location_func: Locate | None = None,
    ) -> None:
        model = input_model_path_or_bytes
        if not isinstance(sess_options, SessionOptions):
            raise TypeError("__init__(): incompatible constructor arguments")
        if not isinstance(model, (str, os.PathLike, bytes)):
            raise TypeError(f"Unable to load from type '{type(model)}'")
        if isinstance(model, bytes) and not model:
            raise ValueError("Input model bytes array is empty")
        if not isinstance(model, bytes) and not os.fspath(model):
            raise ValueError("Input model path is empty")
        path = external_initializers_file_path or None
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise TypeError(
                f"Output external initializer filepath is of unexpected type '{type(path)}'"
            )
        if path is not None and get_initializer_location_func is not None:
            raise ValueError(
                "Cannot initialize ModelCompiler with both `external_initializers_file_path` "
                "and `get_initializer_location_func`"
            )
        level = instance(
            "graph_optimization_level", graph_optimization_level, GraphOptimizationLevel
        )
        threshold, embed = external_initializers_size_threshold, embed_compiled_data_into_model
        stored: Any = path
        if get_initializer_location_func is not None:
            stored = _failing(_located(get_initializer_location_func))
        self._model = model
        self._options, _ = sess_options._copy()
        self._settings: dict[str, Any] = {
            "flags": number("flags", flags, UINT32),
            "optimization_level": int(level),
            "embed_ep_context": switch("embed_compiled_data_into_model", embed),
            "external_initializers": stored,
            "external_threshold": number("external_initializers_size_threshold", threshold, SIZE),
        }

    def _compile(self, output: Any) -> Any:
        return compile_model(self._model, output, options=self._options._options, **self._settings)

    def compile_to_file(self, output_model_path: str | None = None) -> None:
        """Write the compiled model to a file; by default beside the model, with a suffix."""
        path: Any = output_model_path
        if path is None:
            if isinstance(self._model, bytes):
                raise RuntimeError("a path is needed where the model came from bytes")
            stem, _ = os.path.splitext(os.fspath(self._model))
            path = f"{stem}_ctx.onnx"
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"Output model's filepath is of unexpected type '{type(path)}'")
        if not os.fspath(path):
            raise InvalidArgument("Output model path must not be empty.")
        self._compile(path)

    def compile_to_bytes(self) -> bytes:
        return self._compile(None)  # type: ignore[no-any-return]

    def compile_to_stream(self, write_function: Callable[[bytes], None]) -> None:
        self._compile(_failing(function("write_function", write_function)))

    def set_ep_context_binary_information(
        self, output_directory: str | os.PathLike[str], model_name: str
    ) -> None:
        """Say where execution providers put their files, and what the names of these begin with.

        A directory's path ends with a separator; of one that ends with a name that has a suffix,
        the part before is taken, as officially.
        """
        directory, name = text(os.fspath(output_directory)), string("name", model_name)
        if not directory or not name:
            raise InvalidArgument("output_dir or model_name is empty.")
        parent, last = os.path.split(directory)
        if last and not os.path.splitext(last)[1]:
            raise InvalidArgument("output_dir is not a valid directory.")
        self._settings |= {"ep_context_directory": parent or os.curdir, "ep_context_name": name}

    def set_ep_context_data_write_func(self, write_func: Callable[..., None]) -> None:
        if write_func is None:
            raise RuntimeError("write_func must be a function")
        if not callable(write_func):
            raise TypeError("set_ep_context_data_write_func(): write_func must be a function")
        self._settings["ep_context_writer"] = _failing(writer_of(write_func))

    def clear_ep_context_data_write_func(self) -> None:
        self._settings.pop("ep_context_writer", None)
