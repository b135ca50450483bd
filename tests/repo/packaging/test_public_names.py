# SPDX-License-Identifier: MIT
"""Users see only names that they can import: `ortcffi.X` and `ortcffi.errors.X`."""

import copy
import importlib
import inspect
import pickle
import pickletools
import pydoc
import re
import sys
from importlib.metadata import version

import numpy as np
import pytest
from support.processes import run

import ortcffi
from ortcffi import ElementType, Value, compat, core_api, errors, testing

MODULES = {"ortcffi", "ortcffi.errors"}
OBJECTS = [name for name in ortcffi.__all__ if name not in ("errors", "ffi", "lib")]
COO = (np.ones(1, np.float32), np.zeros(1, np.int64), (2, 2))

PICKLABLE = {
    "tensor": lambda: Value.from_numpy(np.ones((2, 3), np.float32)),
    "packed tensor": lambda: Value.empty(3, ElementType.INT4),
    "strings": lambda: Value.from_strings(["a", "b"]),
    "sequence": lambda: Value.sequence([np.ones(3)]),
    "map": lambda: Value.map({1: 2}),
    "sparse tensor": lambda: Value.sparse_coo(*COO),
    "element type": lambda: ElementType.FLOAT,
    "error code": lambda: errors.ErrorCode.FAIL,
    "error": lambda: errors.InvalidArgument("bad", "CreateStatus"),
    "out of memory": lambda: errors.OutOfMemory("none", "Alloc"),
    "load error": lambda: ortcffi.LibraryNotFound("none"),
    "runtime": lambda: ortcffi.find_runtimes()[0],
    "statistics": lambda: core_api().default_allocator.stats,
    "log message": lambda: ortcffi.LogMessage(*range(len(ortcffi.LogMessage._fields))),
}


def modules_in(pickled: bytes) -> set[str]:
    """The modules of this package that a pickle names."""
    strings = [x for _, x, _ in pickletools.genops(pickled) if isinstance(x, str)]
    return {x.split()[0] for x in strings if x.split() and x.split()[0].startswith("ortcffi")}


def foreign_names(text: str) -> set[str]:
    """The names under `ortcffi` in a text that users cannot import."""
    # Python makes these: help() of 3.13 says which class or module defines a method.
    made = r".*__orig_bases__.*|module ortcffi.errors in.*| (from|class method of) ortcffi(\.\w+)+$"
    text = re.sub(made, "", text, flags=re.MULTILINE)
    found = set(re.findall(r"\bortcffi(?:\.\w+)+", text)) - MODULES
    public = {f"ortcffi.{name}" for name in ortcffi.__all__}
    public |= {f"ortcffi.errors.{name}" for name in errors.__all__}
    logger = {"ortcffi.memory"}
    return found - public - logger


@pytest.mark.parametrize("name", OBJECTS)
def test_a_public_name_says_where_it_is_imported_from(name):
    assert getattr(ortcffi, name).__module__ in MODULES


PACKAGES = (ortcffi, errors, testing, compat)
NAMES = [f"{package.__name__}.{name}" for package in PACKAGES for name in package.__all__]


@pytest.mark.parametrize("name", NAMES)
def test_help_and_inspect_show_each_public_name_and_no_other(name):
    package, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(package), last)
    if isinstance(thing, (str, int)):  # whose help is their type's, or a topic
        return
    text = pydoc.plain(pydoc.render_doc(thing, forceload=0))
    if package == "ortcffi" and last in OBJECTS:
        assert foreign_names(text) == set()
    assert last in pydoc.html.document(thing, name)
    assert inspect.getdoc(thing) is None or isinstance(thing.__doc__, str)
    for _, member in inspect.getmembers(thing):
        inspect.getdoc(member)
        if callable(member):
            inspect.unwrap(member)


def test_the_version_is_that_of_the_package():
    assert ortcffi.__version__ == version("ortcffi")


def test_a_name_of_the_official_package_is_answered_with_its_place():
    with pytest.raises(AttributeError, match=r"InferenceSession'; ortcffi\.compat has"):
        ortcffi.InferenceSession  # noqa: B018  # raises


def test_help_on_the_errors_shows_only_public_names():
    assert foreign_names(pydoc.plain(pydoc.render_doc(errors))) == set()


@pytest.mark.parametrize("protocol", [2, 5])
@pytest.mark.parametrize("kind", PICKLABLE)
def test_a_pickle_names_only_public_modules(kind, protocol):
    assert modules_in(pickle.dumps(PICKLABLE[kind](), protocol)) <= MODULES


@pytest.mark.parametrize("api", [core_api(), ortcffi.emulate(12)], ids=["core", "emulated"])
def test_a_table_is_its_own_copy_and_belongs_to_one_process(api):
    assert copy.copy(api) is copy.deepcopy({"api": api})["api"] is api
    with pytest.raises(TypeError, match=r"^cannot pickle an Api, which belongs to one process"):
        pickle.dumps(api)


def test_a_trace_and_what_it_is_of_belong_to_one_process():
    with ortcffi.trace(core_api()) as traced:
        with pytest.raises(TypeError, match=r"^cannot pickle a Trace, which"):
            pickle.dumps(traced)
        assert copy.copy(traced.api) is traced.api


@pytest.mark.parametrize("name", OBJECTS)
def test_the_methods_of_a_public_class_can_be_pickled(name):
    owner = getattr(ortcffi, name)
    for attribute in (a for a in dir(owner) if a[0] != "_"):
        method = getattr(owner, attribute)
        if isinstance(owner, type) and callable(method):
            assert pickle.loads(pickle.dumps(method)) == method


def test_a_new_process_can_begin_with_unpickling():
    pickled = pickle.dumps([make() for make in PICKLABLE.values()])
    code = "import sys, pickle; print(len(pickle.load(sys.stdin.buffer)))"
    done = run(sys.executable, "-c", code, text=False, input=pickled)
    assert done.stdout.split() == [b"%d" % len(PICKLABLE)], done.stderr
