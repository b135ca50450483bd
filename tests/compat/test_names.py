# SPDX-License-Identifier: MIT
"""The names and signatures of the drop-in, held against those of the installed package."""

import importlib
import inspect

import pytest
from support import models
from support.paths import CHECKOUT
from support.releases import installed_release

from ortcffi import compat

official = pytest.importorskip("onnxruntime")
MODULES = ["capi.onnxruntime_pybind11_state", "capi.onnxruntime_inference_collection"]
TABLE = (CHECKOUT / "docs/guide/from_onnxruntime.md").read_text()
NEW_IN_1_32 = {
    "set_default_logger_callback",
    *("ModelPackageComponentContext", "ModelPackageContext", "ModelPackageOptions"),
}


def listed(name: str) -> bool:
    """Whether the documentation says that a name is not there."""
    return f"`{name}`" in TABLE


def public(module: object) -> set[str]:
    # pytest adds names that begin with "@" to modules whose assertions it rewrites.
    return {name for name in dir(module) if name.isidentifier() and not name.startswith("_")}


def without_modules(module: object) -> set[str]:
    """The public names without those of submodules, which depend on what was imported before."""
    return {name for name in public(module) if not inspect.ismodule(getattr(module, name))}


def test_the_package_has_every_public_name():
    assert {name for name in public(official) - public(compat) if not listed(name)} == set()


def test_the_package_has_no_other_public_names():
    newer = set() if installed_release() >= (1, 32) else NEW_IN_1_32
    assert without_modules(compat) - public(official) == {"install", *newer}


@pytest.mark.parametrize("name", MODULES)
def test_the_modules_have_every_public_name_or_the_documentation_says_why_not(name):
    theirs = importlib.import_module(f"onnxruntime.{name}")
    ours = importlib.import_module(f"ortcffi.compat.{name}")
    defined = {
        each
        for each in public(theirs)
        if getattr(getattr(theirs, each), "__module__", "").startswith("onnxruntime")
    }
    missing = defined - public(ours)
    assert {each for each in missing if not listed(each)} == set()


def classes() -> list[str]:
    found = [name for name in public(official) if inspect.isclass(getattr(official, name))]
    return sorted(name for name in found if not listed(name))


@pytest.mark.parametrize("name", classes())
def test_a_class_has_every_public_method(name):
    ours = getattr(compat, name)
    missing = {each for each in public(getattr(official, name)) if not hasattr(ours, each)}
    assert {each for each in missing if not listed(f"{name}.{each}")} - {"name", "value"} == set()


def signatures() -> list[tuple[str, str]]:
    """The methods of classes that are written in Python; the compiled ones tell no signature."""
    found = set()
    for name in classes():
        kind = getattr(official, name)
        if kind.__module__.endswith("inference_collection") and not issubclass(kind, int):
            kinds = (classmethod, staticmethod)
            own = [m for m, x in vars(kind).items() if callable(x) or isinstance(x, kinds)]
            found |= {(name, each) for each in own}
            found |= {(name, each) for base in kind.__mro__[1:-1] for each in vars(base)}
    return sorted((k, m) for k, m in found if not m.startswith("_") or m == "__init__")


@pytest.mark.parametrize(("kind", "method"), signatures())
def test_a_method_takes_the_same_arguments_and_maybe_more(kind, method):
    if listed(f"{kind}.{method}"):
        return
    theirs, ours = (getattr(getattr(m, kind), method) for m in (official, compat))
    if not callable(theirs):
        return
    wanted, found = (list(inspect.signature(each).parameters.values()) for each in (theirs, ours))
    common = [(p.name, p.kind, p.default) for p in found[: len(wanted)]]
    assert common == [(p.name, p.kind, p.default) for p in wanted]
    assert all(p.default is not p.empty or p.kind is p.VAR_POSITIONAL for p in found[len(wanted) :])


def test_the_exceptions_have_the_official_names():
    theirs, ours = (
        importlib.import_module(f"{m}.{MODULES[0]}") for m in ("onnxruntime", "ortcffi.compat")
    )
    for name in public(theirs):
        kind = getattr(theirs, name)
        if inspect.isclass(kind) and issubclass(kind, Exception):
            assert issubclass(getattr(ours, name), Exception)
            assert not issubclass(getattr(ours, name), (ValueError, OSError, LookupError))


def test_the_enums_have_the_official_numbers():
    for name in classes():
        kind = getattr(official, name)
        for member, value in getattr(kind, "__members__", {}).items():
            assert int(getattr(compat, name)[member]) == int(value), f"{name}.{member}"


@pytest.mark.parametrize("name", ["backend", "datasets", "quantization", "tools", "transformers"])
def test_what_is_not_there_is_named_and_documented(name):
    with pytest.raises(AttributeError, match=f"{name}.*official package"):
        getattr(compat, name)
    with pytest.raises(ImportError, match=name):
        importlib.import_module(f"ortcffi.compat.{name}")
    assert f"`onnxruntime.{name}`" in TABLE


def test_what_writes_model_packages_is_said_to_be_missing():
    with pytest.raises(AttributeError, match=r"ModelPackage.*no functions that write model"):
        _ = compat.ModelPackage


@pytest.mark.parametrize("arguments", [(False,), (True,), (False, False), (True, True, False)])
def test_the_libraries_of_cuda_are_at_the_official_places(arguments):
    if not hasattr(official, "_get_nvidia_dll_paths"):
        pytest.skip("this release has no such function")
    wanted = official._get_nvidia_dll_paths(*arguments)
    assert compat._get_nvidia_dll_paths(*arguments) == wanted


@pytest.mark.parametrize("package", ["onnxruntime", "ortcffi.compat"])
def test_the_package_tells_its_build_where_programs_look_for_it(package):
    build_info = importlib.import_module(f"{package}.capi.build_and_package_info")
    assert (build_info.package_name, build_info.__version__) == (
        "onnxruntime",
        official.__version__,
    )


@pytest.mark.parametrize("package", [official, compat], ids=["official", "compat"])
def test_a_session_tells_what_it_was_loaded_from(package, tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(models.add())
    session = package.InferenceSession(path, providers=["CPUExecutionProvider"])
    assert (session._model_path, session._model_bytes) == (str(path), None)
    session = package.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    assert (session._model_path, session._model_bytes) == (None, path.read_bytes())
