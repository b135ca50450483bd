# SPDX-License-Identifier: MIT
"""The words of rows beside the slots: objects that are made without a mistake, and constants."""

import os
from collections.abc import Callable
from functools import cache
from threading import Thread
from typing import Any

from ortcffi._native import ffi, lib
from ortcffi.conformance.calls import (
    KEPT,
    UNTOUCHED,
    Asked,
    Failed,
    Table,
    buffer,
    callback,
    text_of,
)
from ortcffi.conformance.telling import told, value_of
from ortcffi.testing.rules import NotTried

_LIMIT = 20.0  # seconds, of a thread
_PREFIXES = ("ONNX_TENSOR_ELEMENT_DATA_TYPE_", "ORT_LOGGING_LEVEL_", "ONNX_TYPE_", "ORT_")
SIZE_MAX, INT64_MAX, INT64_MIN, INT_MAX = 2**64 - 1, 2**63 - 1, -(2**63), 2**31 - 1
LONG = "a string that is longer than what fits in an element of a string tensor"


def constants() -> dict[str, Any]:
    """Return the constants of the header; those with a usual prefix also without it."""
    found: dict[str, Any] = {}
    for name in dir(lib):
        if isinstance(value := getattr(lib, name), int):
            found[name] = value
            for prefix in _PREFIXES:
                if name.startswith(prefix):
                    found.setdefault(name.removeprefix(prefix), value)
    found |= {"Device": lib.OrtDeviceAllocator, "Arena": lib.OrtArenaAllocator}
    found |= {"Default": lib.OrtMemTypeDefault, "NULL": None, "true": True, "false": False}
    return found


def slot_word(slot: str, *first: Any) -> Any:
    """Make a word that calls a slot which must not fail, with its own arguments behind some."""
    return lambda words, *given: words._do(slot, *first, *given)


class Words:
    """Return the words of a table; each method is one."""

    def __init__(self, table: Table) -> None:
        self._table, self._slots, self._sure = table, table.slots, table.sure
        self.allocator = cache(self._allocator)
        self.env = cache(self._env)
        self._heard: list[str] = []  # messages

    def _do(self, slot: str, *given: Any) -> Any:
        """Call a slot that must not fail."""
        return self._sure[slot](*given)

    def _allocator(self) -> Any:
        return self._do("GetAllocatorWithDefaultOptions")

    def _env(self) -> Any:
        """Make an environment that says nothing, for the whole process."""
        return self._do("CreateEnv", lib.ORT_LOGGING_LEVEL_FATAL, "conformance")

    # --- memory -----------------------------------------------------------------------------------

    def cpu(self, kind: int = lib.OrtDeviceAllocator, memory: int = lib.OrtMemTypeDefault) -> Any:
        """Return the memory info of the CPU."""
        return self._do("CreateCpuMemoryInfo", kind, memory)

    def gpu(self, name: str = "Cuda") -> Any:
        """Make a memory info of another device, which need not be there."""
        return self._do("CreateMemoryInfo", name, lib.OrtDeviceAllocator, 0, lib.OrtMemTypeDefault)

    def info(self, name: str, kind: int = 0, *more: int) -> Any:
        """Make a memory info by vendor, device, memory type, alignment and allocator type."""
        vendor, device, memory, alignment, allocator = (*more, *(0,) * (5 - len(more)))
        given = name, kind, vendor, device, memory, alignment, allocator or lib.OrtDeviceAllocator
        return self._do("CreateMemoryInfo_V2", *given)

    def memory_of(self, info: Any) -> Any:
        """Return what a memory info tells, and the device that it is about."""
        if isinstance(info, Failed):
            return info
        parts = "MemoryInfoGetDeviceType", "MemoryInfoGetVendorId", "MemoryInfoGetDeviceMemType"
        return told(self._sure, (info, *(self._do(part, info) for part in parts)))

    def device(self, index: int = 0) -> Any:
        """Return a device of the environment: that of the CPU is the first one."""
        devices, count = self._do("GetEpDevices", self.env())
        return devices[index] if index < count else None

    # --- values -----------------------------------------------------------------------------------

    def tensor(self, kind: int, *dims: int) -> Any:
        """Make a tensor whose bytes count 0, 1, 2 ..."""
        value = self._do("CreateTensorAsOrtValue", self.allocator(), list(dims), len(dims), kind)
        if kind != lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING:
            data = value_of(self._sure, value).data
            data[:] = bytes(i % 256 for i in range(len(data)))
        return value

    def _numbers(self, kind: int, ctype: str, numbers: tuple[Any, ...]) -> Any:
        value = self.tensor(kind, len(numbers))
        given = ffi.buffer(ffi.new(f"{ctype}[]", numbers or 1))
        data = value_of(self._sure, value).data
        data[:] = given[: len(data)]
        return value

    def floats(self, *numbers: float) -> Any:
        """Make a tensor of float32."""
        return self._numbers(lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, "float", numbers)

    def doubles(self, *numbers: float) -> Any:
        """Make a tensor of float64."""
        return self._numbers(lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, "double", numbers)

    def ints(self, *numbers: int) -> Any:
        """Make a tensor of int64."""
        return self._numbers(lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, "int64_t", numbers)

    def strings(self, *texts: str) -> Any:
        """Make a tensor of strings."""
        value = self.tensor(lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, len(texts))
        self._do("FillStringTensor", value, list(texts), len(texts))
        return value

    def borrowed(self, kind: int, data: Any, size: int, *dims: int, info: Any = None) -> Any:
        """Make a tensor over memory of the client."""
        slot = "CreateTensorWithDataAsOrtValue"
        return self._do(slot, info or self.cpu(), data, size, list(dims), len(dims), kind)

    def seq(self, *values: Any) -> Any:
        """Make a sequence."""
        return self._do("CreateValue", list(values), len(values), lib.ONNX_TYPE_SEQUENCE)

    def dictionary(self, keys: Any, values: Any) -> Any:
        """Make a map."""
        return self._do("CreateValue", [keys, values], 2, lib.ONNX_TYPE_MAP)

    def sparse(self, kind: int, *dims: int) -> Any:
        """Make a sparse tensor, not filled yet."""
        slot = "CreateSparseTensorAsOrtValue"
        return self._do(slot, self.allocator(), list(dims), len(dims), kind)

    def coo(self) -> Any:
        """Make a filled sparse tensor {3,3} of two floats."""
        value = self.sparse(lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 3, 3)
        values = buffer("float[]", [10, 20])
        self._do("FillSparseTensorCoo", value, self.cpu(), [2], 1, values, [1, 5], 2)
        return value

    def over(self, dims: list[int], shape: list[int], numbers: list[float] | None = None) -> Any:
        """Make a sparse tensor over floats of the client, without indices."""
        data = None if numbers is None else buffer("float[]", numbers)
        given = data, dims, len(dims), shape, len(shape), lib.ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
        return self._do("CreateSparseTensorWithValuesAsOrtValue", self.cpu(), *given)

    type_of = slot_word("GetTypeInfo")
    shape_of = slot_word("GetTensorTypeAndShape")

    def shape(self, *dims: int) -> Any:
        """Type and shape with these dimensions."""
        info = self._do("CreateTensorTypeAndShapeInfo")
        self._do("SetDimensions", info, list(dims), len(dims))
        return info

    def told(self, value: Any) -> str:
        """All that an object tells, as a text."""
        return told(self._sure, value)

    def pairs(self, *given: str) -> Any:
        """Pairs of keys and values, each given as ``"key=value"``."""
        made = self._slots["CreateKeyValuePairs"]()
        for each in given:
            self._slots["AddKeyValuePair"](made, *each.split("=", 1))
        return made

    # --- a client's allocator ---------------------------------------------------------------------

    def client(self, version: int = 22, block: Any = None, **functions: Any) -> Any:
        """Make an allocator of the client that gives one block; `functions` replace its own."""
        made = buffer("OrtAllocator*")
        made.version = min(version, self._table.version) if version > 0 else 0
        freed = buffer("int*")
        own: dict[str, Any] = {
            "Alloc": lambda _, __: ffi.NULL if block is None else block,
            "Free": lambda _, pointer: freed.__setitem__(0, freed[0] + (pointer == block)),
            "Info": lambda _: functions.get("info") or self.cpu(),
        }
        own |= {key: functions[key] for key in functions if key != "info"}
        for name, function in own.items():
            if function is not None:
                kind = dict(ffi.typeof("OrtAllocator").fields)[name].type
                setattr(made, name, callback(kind.cname, function))
        KEPT.append(made)
        self._freed = freed
        return made

    def freed(self) -> int:
        """How often the block of the last such allocator came back."""
        return int(self._freed[0])

    # --- options ----------------------------------------------------------------------------------

    def options(self) -> Any:
        """Session options: threads of many sessions would take longer than the rows."""
        options = self._do("CreateSessionOptions")
        self._do("SetIntraOpNumThreads", options, 1)
        return options

    run_options = slot_word("CreateRunOptions")
    threading = slot_word("CreateThreadingOptions")
    cfg = slot_word("CreateArenaCfg", 0, -1, -1, -1)

    def no_thread(self) -> Any:
        """Make a function for threads that makes none."""
        kind = "OrtCustomThreadHandle(void*, OrtThreadWorkerFn, void*)"
        return callback(kind, lambda *_: ffi.NULL)

    def no_join(self) -> Any:
        """Make a function that waits for no thread."""
        return callback("void(OrtCustomThreadHandle)", lambda _: None)

    # --- environments -----------------------------------------------------------------------------

    def without_env(self) -> None:
        """Nothing: such a row has a process without an environment."""

    def logger(self, name: str) -> Any:
        """Make a function for messages, of which `warned` tells the last one."""

        def keep(param: Any, severity: int, category: Any, log: Any, _: Any, text: Any) -> None:
            who = text_of(ffi.cast("char*", param)) if param else "NULL"
            parts = who, severity, text_of(category), text_of(log)
            self._heard.append(f"{name}: {parts} {text_of(text)}".partition("key")[0])

        kind = "void(void*, OrtLoggingLevel, char*, char*, char*, char*)"
        return callback(kind, keep)

    def warned(self) -> str:
        """Return what the logger hears of a warning: that an entry of options is replaced."""
        self._heard.clear()
        if (log := self._slots["GetExperimentalFunction"]("ortcore_log")) != ffi.NULL:
            texts = [buffer("char[]", text) for text in (b"here", b"Config with key")]
            ffi.cast("OrtcoreLog", log)(lib.ORT_LOGGING_LEVEL_WARNING, ffi.NULL, *texts)
        options = self.options()
        for text in ("1", "2"):
            self._do("AddSessionConfigEntry", options, "k", text)
        return self._heard[-1] if self._heard else "nothing"

    def creation(self, **fields: Any) -> Any:
        """How an environment is to be made: a warning goes to a logger."""
        made = buffer("struct OrtEnvCreationOptions*")
        given = {"version": self._table.version, "log_id": buffer("char[]", b"x")}
        given |= {"logging_severity_level": 2, "custom_logging_function": self.logger("p")}
        for name, value in {**given, **fields}.items():
            setattr(made, name, value)
        KEPT.append(fields)
        return made

    def thread_callbacks(self, version: int) -> Any:
        """Return the functions of thread pools, none, in a struct of a version."""
        return buffer("struct OrtThreadPoolCallbacksConfig*", {"version": version})

    # --- threads, forks, memory that runs out -----------------------------------------------------

    def together(self, count: int, make: Callable[[int], Any], times: int = 20) -> str:
        """Return the different answers of a call that threads make again and again."""
        answers: set[str] = set()

        def work() -> None:
            answers.update(told(self._sure, make(i)) for i in range(times))

        threads = [Thread(target=work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(_LIMIT)
        return "; ".join(sorted(answers))

    def forked(self, make: Callable[[], Any]) -> str:
        """Return the answer of a call in a fork of this process."""
        if not hasattr(os, "fork"):
            raise NotTried("this system has no forks")
        read, write = os.pipe()
        if (child := os.fork()) == 0:
            code = 1
            try:
                try:
                    answer = make()
                except Asked as asked:
                    answer = asked.answer
                os.write(write, told(self._sure, answer).encode())
                code = 0
            finally:  # the child must not go on with the next row
                os._exit(code)
        os.close(write)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with open(read, "rb") as file:
            return file.read().decode() if code == 0 else f"the fork ends with {code}"

    def lacking(self, good: int = 0) -> Any:
        """Make an allocator of the client that has memory for so many blocks, then none."""
        blocks: list[Any] = []

        def give(_: Any, size: int) -> Any:
            if len(blocks) == good:
                return ffi.NULL
            blocks.append(buffer(f"char[{size + 64}]"))
            address = int(ffi.cast("uintptr_t", blocks[-1]))
            return ffi.cast("void*", (address + 63) // 64 * 64)

        return self.client(1, Alloc=give, Free=lambda *_: None)

    # --- answers ----------------------------------------------------------------------------------

    def made(self, answer: Any) -> Any:
        """Return the failure of a call, or that it succeeded."""
        return answer if isinstance(answer, Failed) else "OK"

    def without(self, slot: str, argument: int) -> None:
        """Have the next call of a slot get NULL for one of its arguments."""
        self._table.null = slot, argument

    def is_there(self, slot: str) -> bool:
        """Whether a slot is no NULL."""
        return self._slots[slot].is_there()


def all_words(words: Words) -> dict[str, Any]:
    """Return what rows are evaluated with."""
    table = words._table
    own = {name: getattr(words, name) for name in dir(words) if not name.startswith("_")}
    general = {"buffer": buffer, "callback": callback, "ffi": ffi, "LONG": LONG}
    general |= {"SIZE_MAX": SIZE_MAX, "INT64_MAX": INT64_MAX, "INT64_MIN": INT64_MIN}
    general |= {"INT_MAX": INT_MAX, "UNTOUCHED": UNTOUCHED, "base": table.base, "api": table.api}
    general |= {"Failed": Failed, "api_version": table.version, "text_of": text_of}
    return {**constants(), **table.slots, **own, **general}
