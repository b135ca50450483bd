# SPDX-License-Identifier: MIT
"""Model packages in the official package and in the drop-in: both must be alike."""

import json

import numpy as np
import pytest
from support import models
from support.releases import needs_release

pytestmark = needs_release(32, "model packages in Python")

CPU = {"ep": "CPUExecutionProvider"}
VARIANTS = {
    "cuda": {"ep": "CUDAExecutionProvider", "device": "gpu"},
    "cpu": {**CPU, "executor_info": {"ort": {"model_file": "add.onnx"}}},
}
ONLY = {"variants": {"cpu": CPU}}
ASSET = f"sha256:{'0' * 64}"


def manifest(component=None, **fields):
    """A manifest of one component, by default that of `write`, with further fields."""
    component = {"variants": VARIANTS} if component is None else component
    return {"schema_version": "1.0", "components": {"adds": component}, **fields}


def write(folder, said=None, **files):
    """Write a package: what the manifest says, and files by path: bytes, or what is made JSON."""
    files = {"manifest.json": manifest() if said is None else said, **files}
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    if said is None:
        (folder / "add.onnx").write_bytes(models.add())
    return folder


@pytest.fixture
def package(onnxruntime, tmp_path):
    return onnxruntime.ModelPackageContext(str(write(tmp_path)))


def selected(onnxruntime, package, name="adds"):
    options = onnxruntime.ModelPackageOptions(onnxruntime.SessionOptions())
    return package.select_component(name, options)


def test_a_package_lists_what_it_has(package):
    assert package.get_schema_version() == 1
    assert package.get_component_count() == 1
    assert package.get_component_names() == ["adds"]
    assert package.get_variant_count("adds") == 2
    assert package.get_variant_names("adds") == ["cuda", "cpu"]
    assert package.get_variant_ep_name("adds", "cuda") == "CUDAExecutionProvider"


def test_a_variant_without_a_provider_has_none(onnxruntime, tmp_path):
    write(tmp_path, manifest({"variants": {"v": {}}}))
    assert onnxruntime.ModelPackageContext(str(tmp_path)).get_variant_ep_name("adds", "v") is None


def test_references_are_resolved(onnxruntime, tmp_path):
    write(tmp_path, manifest(ONLY, shared_assets={ASSET: "files"}), **{"files/x": b""})
    package = onnxruntime.ModelPackageContext(str(tmp_path))
    root = str(tmp_path.resolve())
    assert package.resolve_string_ref("x") == f"{root}/x"
    assert package.resolve_string_ref("x", f"{root}/files", True) == f"{root}/files/x"
    assert package.resolve_string_ref(f"{ASSET}/x", must_exist=True) == f"{root}/files/x"
    for wrong in ["../x", "/etc", ""]:
        with pytest.raises(RuntimeError):
            package.resolve_string_ref(wrong)


def test_a_variant_is_chosen(onnxruntime, package, tmp_path):
    chosen = selected(onnxruntime, package)
    assert chosen.get_selected_variant_name() == "cpu"
    assert chosen.get_selected_variant_folder_path() == ""
    write(tmp_path, manifest(ONLY), **{"cpu/x": b""})
    chosen = selected(onnxruntime, onnxruntime.ModelPackageContext(str(tmp_path)))
    assert chosen.get_selected_variant_folder_path() == str(tmp_path.resolve() / "cpu")
    with pytest.raises(RuntimeError):
        selected(onnxruntime, package, "other")


@pytest.mark.parametrize("with_options", [False, True])
def test_a_variant_becomes_a_session(onnxruntime, package, with_options):
    options = onnxruntime.SessionOptions() if with_options else None
    session = selected(onnxruntime, package).create_session(options)
    assert isinstance(session, onnxruntime.InferenceSession)
    assert [each.name for each in session.get_inputs()] == ["x"]
    assert session.get_providers() == ["CPUExecutionProvider"]
    x = np.ones((1, 4), np.float32)
    assert session.run(None, {"x": x})[0].tolist() == (x + x).tolist()


def test_what_is_no_package_is_an_error(onnxruntime, tmp_path):
    with pytest.raises(RuntimeError):
        onnxruntime.ModelPackageContext(str(tmp_path))
    with pytest.raises(TypeError):
        onnxruntime.ModelPackageContext(3)
    with pytest.raises(TypeError):
        onnxruntime.ModelPackageComponentContext()
    with pytest.raises(TypeError):
        onnxruntime.ModelPackageOptions(None)
