# SPDX-License-Identifier: MIT
"""Loading other libraries: which one, at which version, and why one is refused."""

import ctypes
import os
import pickle
import shutil
import struct
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from support.processes import run
from support.versions import API_VERSION, VERSION_STRING

import ortcffi
from ortcffi.table import load as loading
from ortcffi.table.engine import load_engine
from ortcffi.table.load import LibraryNotFound, LoadError

OLDEST = "1.20 is the oldest that ortcffi supports"
TOY = """
#include <stdio.h>
#include "onnxruntime_c_api.h"
static const OrtApi tables[1];
static const OrtApi* ORT_API_CALL get_api(uint32_t version) NO_EXCEPTION {
  fprintf(stderr, "asked for %u\\n", version);
  return TABLE;
}
static const char* ORT_API_CALL get_version(void) NO_EXCEPTION { return VERSION; }
static const OrtApiBase base = {GET_API, get_version};
const OrtApiBase* ORT_API_CALL OrtGetApiBase(void) NO_EXCEPTION { return BASE; }
"""


@pytest.fixture
def toy(compile_c: Callable[..., Path]) -> Callable[..., Path]:
    """``toy(VERSION='"1.21.0"')`` follows these macros; its table has NULLs alone."""

    def toy(**defined: str) -> Path:
        usual = {"TABLE": "tables", "VERSION": '"1.21.0"', "GET_API": "get_api", "BASE": "&base"}
        flags = [f"-D{name}={value}" for name, value in (usual | defined).items()]
        return compile_c(TOY, "-shared", "-fPIC", "-fvisibility=hidden", *flags)

    return toy


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable is set, and the package onnxruntime is not there."""
    monkeypatch.delenv("ORTCFFI_LIBRARY", raising=False)
    monkeypatch.setattr(loading, "installed_libraries", list)


def refusal(path: object) -> LoadError:
    with pytest.raises(LoadError) as caught:
        loading.load(path)
    return caught.value


# --- which library --------------------------------------------------------------------------------


def test_without_a_path_the_installed_package_is_loaded(real_api, capfd, monkeypatch):
    api = ortcffi.load()
    assert api == real_api
    monkeypatch.setenv("ORTCFFI_LIBRARY", "")
    assert ortcffi.load() == real_api
    installed = version("onnxruntime")
    assert api.version_string == installed
    assert api.version == min(API_VERSION, int(installed.split(".")[1]))
    assert os.path.isabs(api.path)
    assert "onnxruntime/capi/libonnxruntime" in api.path
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("real_api")
def test_the_package_is_found_without_importing_it():
    code = "import sys, ortcffi; ortcffi.load(); assert 'onnxruntime' not in sys.modules"
    run(sys.executable, "-c", code)


FOUND = "import sys, ortcffi; sys.path.insert(0, sys.argv[1]); print(ortcffi.load().path)"
ATTACHED = """
import sys, ortcffi; sys.path.insert(0, sys.argv[1])
try: ortcffi.attach()
except ortcffi.LoadError as error: print(error)
"""
WITHOUT = """
import sys, ortcffi, ortcffi.table.load
sys.path = [sys.argv[1], *(each for each in sys.path if 'packages' not in each)]
try: print(ortcffi.load())
except ortcffi.LibraryNotFound as error: print(error)
"""
HIDING = "onnxruntime.py' is imported as onnxruntime instead: rename it"


@pytest.mark.usefixtures("real_api")
@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        *(
            (name, FOUND, "onnxruntime/capi/libonnxruntime")
            for name in ("onnxruntime.py", "onnxruntime/__init__.py", "onnxruntime/a.txt")
        ),
        ("onnxruntime.py", ATTACHED, HIDING),
        ("onnxruntime.py", WITHOUT, HIDING),
    ],
)
def test_what_is_called_onnxruntime_hides_no_library_and_is_named(tmp_path, name, code, said):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("")
    variables = {name: os.environ[name] for name in os.environ if name != "ORTCFFI_LIBRARY"}
    found = run(sys.executable, "-c", code, str(tmp_path), env=variables).stdout
    if code == WITHOUT and "libonnxruntime.so" in found and "found no" not in found:
        pytest.skip("the system has a library")
    assert said in found


def test_the_variable_comes_before_the_package(monkeypatch, core_library):
    monkeypatch.setenv("ORTCFFI_LIBRARY", str(core_library))
    assert ortcffi.load().path == str(core_library)


def test_a_path_comes_before_the_variable(monkeypatch, core_library):
    monkeypatch.setenv("ORTCFFI_LIBRARY", "/no/such/library.so")
    assert ortcffi.load(core_library).path == str(core_library)


@pytest.mark.usefixtures("real_api")
def test_the_library_of_sessions_is_searched_again_where_the_settings_change(
    monkeypatch, core_library
):
    first = load_engine()
    assert load_engine() is first
    monkeypatch.setenv("ORTCFFI_LIBRARY", str(core_library))
    assert load_engine().path == str(core_library)
    monkeypatch.delenv("ORTCFFI_LIBRARY")
    monkeypatch.setattr(sys, "path", [*sys.path, "/nowhere"])
    assert load_engine() == first


@pytest.mark.parametrize("find", [ortcffi.load, load_engine])
def test_a_broken_library_in_the_variable_is_not_passed_over(monkeypatch, find):
    monkeypatch.setenv("ORTCFFI_LIBRARY", "/no/such/library.so")
    with pytest.raises(LibraryNotFound, match=r"^ORTCFFI_LIBRARY '/no/such/library\.so' does not"):
        find()


@pytest.mark.usefixtures("nothing_installed")
def test_without_any_library_the_error_lists_the_places_searched(monkeypatch):
    monkeypatch.setattr(loading, "SYSTEM_NAMES", ["libnosuch.so.1"])
    error = refusal(None)
    assert isinstance(error, LibraryNotFound)
    assert "ORTCFFI_LIBRARY is not set" in str(error)
    assert "libnosuch.so.1: cannot open shared object file" in str(error)
    assert "pip install onnxruntime" in error.remedy
    assert str(error) == f"{error.problem}; {error.remedy}"


def test_the_systems_loader_comes_last(tmp_path, core_library):
    shutil.copy(core_library, tmp_path / "libonnxruntime.so.1")
    code = (
        "from ortcffi.table import load as loading; loading.installed_libraries = list;"
        "print(loading.load().path)"
    )
    variables = {name: os.environ[name] for name in os.environ if name != "ORTCFFI_LIBRARY"}
    variables["LD_LIBRARY_PATH"] = str(tmp_path)
    found = run(sys.executable, "-c", code, env=variables)
    assert found.stdout.strip() == str(tmp_path / "libonnxruntime.so.1")


@pytest.mark.parametrize("kind", [str, os.fsencode, Path])
def test_a_path_may_be_text_bytes_or_a_path(core_library, kind):
    assert ortcffi.load(kind(core_library)).path == str(core_library)


def test_a_relative_path_starts_at_the_current_directory(monkeypatch, core_library):
    monkeypatch.chdir(core_library.parent)
    assert ortcffi.load("libortcore.so").path == str(core_library)


def test_a_path_that_is_not_utf8_is_loaded(tmp_path, core_library):
    path = os.fsencode(tmp_path) + b"/lib\xff.so"
    os.symlink(core_library, path)
    assert os.fsencode(ortcffi.load(path).path) == path


def test_the_newest_library_in_a_package_comes_first_and_links_are_not_repeated(tmp_path):
    capi = tmp_path / "capi"
    capi.mkdir()
    for name in ["libonnxruntime.so.1.9.0", "libonnxruntime.so.1.20.1", "libonnxruntime_x.so"]:
        (capi / name).touch()
    (capi / "libonnxruntime.so").symlink_to("libonnxruntime.so.1.20.1")
    found = [os.path.basename(path) for path in loading.libraries_in(str(tmp_path))]
    assert found == ["libonnxruntime.so.1.20.1", "libonnxruntime.so.1.9.0"]


# --- copies ---------------------------------------------------------------------------------------


def test_a_file_has_one_table_and_that_of_the_core_is_the_default(tmp_path, core_library):
    assert ortcffi.load(core_library) == ortcffi.default_api()
    copy = shutil.copy(core_library, tmp_path / "another.so")
    assert ortcffi.load(copy) == ortcffi.load(copy) != ortcffi.default_api()


@pytest.mark.usefixtures("real_api")
def test_what_is_loaded_stays_out_of_the_global_symbols():
    with pytest.raises(AttributeError):
        ctypes.CDLL(None).OrtGetApiBase  # noqa: B018


def test_a_constructor_may_wait_for_the_interpreter(compile_c):
    source = """
    #include <pthread.h>
    #include <stddef.h>
    int PyGILState_Ensure(void);
    void PyGILState_Release(int state);
    static void* wait(void* unused) {
      PyGILState_Release(PyGILState_Ensure());
      return unused;
    }
    __attribute__((constructor)) static void start(void) {
      pthread_t thread;
      pthread_create(&thread, NULL, wait, NULL);
      pthread_join(thread, NULL);
    }
    void* OrtGetApiBase(void) { return NULL; }
    """
    library = compile_c(source, "-shared", "-fPIC", "-pthread")
    code = (
        "import sys, ortcffi\n"
        "try: ortcffi.load(sys.argv[1])\n"
        "except ortcffi.LoadError as error: print(error.problem)"
    )
    done = run(sys.executable, "-c", code, library)
    assert done.stdout == "answers NULL from OrtGetApiBase\n"


# --- versions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("1.20.0", 20),
        ("1.24", 24),
        (VERSION_STRING, API_VERSION),
        (f"1.{API_VERSION + 1}.1", API_VERSION),
        ("1.22.0-dev+cu12", 22),
    ],
)
def test_the_highest_common_version_is_asked_for_once(toy, capfd, text, asked):
    assert ortcffi.load(toy(VERSION=f'"{text}"')).version == asked
    assert capfd.readouterr().err == f"asked for {asked}\n"


@pytest.mark.parametrize(
    ("defined", "problem"),
    [
        ({"VERSION": '"rel-7"'}, "says that its version is 'rel-7', which is no version"),
        ({"VERSION": '""'}, "says that its version is '', which is no version"),
        ({"VERSION": '"1.x"'}, "says that its version is '1.x', which is no version"),
        ({"VERSION": '"1.12345678901"'}, "which is no version"),
        ({"VERSION": '"\\xff.1"'}, "says that its version is '\ufffd.1', which is no version"),
        ({"VERSION": '"0.5.0"'}, "is too old: its version is '0.5.0', and " + OLDEST),
        ({"VERSION": '"1.19.2"'}, "is too old: its version is '1.19.2', and " + OLDEST),
        ({"VERSION": '"2.0.0"'}, "is of version '2.0.0', whose API versions are not known here"),
        ({"VERSION": "NULL"}, "answers NULL from OrtGetApiBase"),
        ({"BASE": "NULL"}, "answers NULL from OrtGetApiBase"),
        ({"GET_API": "NULL"}, "answers NULL from OrtGetApiBase"),
        ({"TABLE": "NULL"}, "is of version '1.21.0' but has no table for API version 21"),
    ],
)
def test_a_provider_without_a_usable_version_is_refused(toy, defined, problem):
    path = toy(**defined)
    error = refusal(path)
    assert error.problem.endswith(problem)
    assert str(error).startswith(f"path {str(path)!r} {error.problem}; ")


# --- what is no provider --------------------------------------------------------------------------


def test_a_path_that_does_not_exist_is_a_file_not_found_error(tmp_path):
    error = refusal(tmp_path / "nothing.so")
    assert isinstance(error, FileNotFoundError)
    assert error.path == str(tmp_path / "nothing.so")
    assert str(error) == (
        f"path '{tmp_path}/nothing.so' does not exist; "
        "expected the path of a shared library, such as libonnxruntime.so"
    )


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (Path.mkdir, "is a directory"),
        (os.mkfifo, "is no regular file"),
        (lambda path: path.symlink_to(path.name), "cannot be read: "),
        (lambda path: path.write_text("text"), "is no ELF file: it begins with b'text'"),
        (lambda path: path.with_name("file").touch(), "does not exist"),
    ],
)
def test_what_is_no_file_of_a_library_is_refused_and_not_waited_for(tmp_path, make, problem):
    path = tmp_path / "library.so"
    make(path)
    path = path if os.path.lexists(path) else tmp_path / "file" / "library.so"
    assert refusal(path).problem.startswith(problem)


@pytest.mark.parametrize(("bits", "machine", "name"), [(2, 183, "AArch64 (64"), (1, 3, "x86 (32")])
def test_a_library_for_another_platform_is_refused(tmp_path, bits, machine, name):
    content = bytearray(Path(loading.core_path()).read_bytes())
    content[4] = bits
    struct.pack_into("<H", content, 18, machine if content[18] != machine else 62)
    path = tmp_path / "foreign.so"
    path.write_bytes(content)
    error = refusal(path)
    assert error.problem.startswith(f"is for {name} bits, little-endian), and this process is for ")
    assert error.remedy == "get the library for this platform"


CUT_OFF = """if True:
    import sys, ortcffi as ort, ortcffi.compat as compat
    path = sys.argv[1]
    def register(api):
        with ort.SessionOptions(api) as options:
            options.register_custom_ops(path)
    def register_ep(api):
        with ort.Env("cut off", api) as env:
            env.register_ep(path)
    ways = [lambda: ort.CustomOpLibrary(path), lambda: ort.CustomOpLibrary(path, copy=False)]
    ways += [lambda: ort.Session(b"", providers=[path])]
    ways += [lambda: compat.register_execution_provider_library("cut off", path)]
    ways += [lambda: compat.SessionOptions().register_custom_ops_library(path)]
    for api in (ort.core_api(), ort.load()):
        ways += [lambda: register(api), lambda: register_ep(api)]
        while ways:
            try:
                ways.pop()()
                print("no error")
            except Exception as error:
                print("is cut off" in str(error), error)
"""


@pytest.mark.usefixtures("real_api")
def test_no_way_opens_a_library_that_was_cut_off(tmp_path):
    """The loader would end the process, which is one of its own. 1 s."""
    path = tmp_path / "short.so"
    path.write_bytes(Path(loading.core_path()).read_bytes()[:9000])
    done = run(sys.executable, "-c", CUT_OFF, path)
    lines = done.stdout.splitlines()
    assert len(lines) == 9
    assert [line for line in lines if not line.startswith("True")] == []


def test_a_library_without_the_entry_point_is_refused_and_none_of_its_code_runs(compile_c, capfd):
    source = '#include <stdio.h>\n__attribute__((constructor)) void f(void) { fputs("!", stderr); }'
    library = compile_c(source, "-shared", "-fPIC")
    assert refusal(library).problem == "does not define OrtGetApiBase"
    assert capfd.readouterr().err == ""


def test_a_library_that_only_depends_on_a_provider_is_refused(compile_c, core_library):
    source = "void* OrtGetApiBase(void); void* get(void) { return OrtGetApiBase(); }"
    flags = [str(core_library), f"-Wl,-rpath,{core_library.parent}"]
    library = compile_c(source, "-shared", "-fPIC", *flags)
    content = bytearray(library.read_bytes())
    struct.pack_into("<HH", content, 58, 0, 0)  # no sections, so that only the loader can tell
    library.write_bytes(content)
    error = refusal(library)
    assert error.problem.startswith("does not define OrtGetApiBase but depends on ")
    assert str(core_library) in error.problem


def test_an_entry_point_that_is_a_bare_number_is_refused(compile_c):
    source = '__asm__(".globl OrtGetApiBase\\n.set OrtGetApiBase, 64\\n");'
    error = refusal(compile_c(source, "-shared", "-fPIC"))
    assert error.problem == "does not define OrtGetApiBase"


def test_a_missing_dependency_is_named_in_the_loaders_words(compile_c, tmp_path):
    needed = compile_c("int needed(void) { return 1; }", "-shared", "-fPIC")
    needed = needed.rename(tmp_path / "libneeded.so")
    flags = ["-shared", "-fPIC", "-Wl,--no-as-needed", f"-L{tmp_path}", "-lneeded"]
    library = compile_c("void* OrtGetApiBase(void) { return 0; }", *flags)
    needed.unlink()
    error = refusal(library)
    assert error.problem.startswith("cannot be loaded: libneeded.so: cannot open shared object")
    assert error.remedy.startswith("install the library that this names")


def test_an_undefined_symbol_is_found_when_loading(compile_c):
    source = "void nowhere(void); void* OrtGetApiBase(void) { nowhere(); return 0; }"
    error = refusal(compile_c(source, "-shared", "-fPIC"))
    assert "undefined symbol: nowhere" in error.problem
    assert error.remedy == "a library that it depends on is missing or of another version"


# --- bad arguments --------------------------------------------------------------------------------


def test_a_load_error_survives_pickling(tmp_path):
    error = refusal(tmp_path)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (LoadError, str(error), vars(error))
