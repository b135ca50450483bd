# SPDX-License-Identifier: MIT
"""Model packages, which a library of ONNX Runtime reads and runs."""

import numpy as np
import pytest
from support.packages import CPU, manifest, write
from support.releases import needs_release

import ortcffi as ort
from ortcffi.errors import Fail, InvalidArgument, NotImplemented, OrtError

pytestmark = needs_release(31, "model packages")

ONLY = {"variants": {"cpu": CPU}}


@pytest.fixture
def package(real_api, tmp_path):
    with ort.ModelPackage(write(tmp_path), real_api) as package:
        yield package


def test_a_package_has_components_with_variants_in_the_manifests_order(package):
    assert package.schema_version == 1
    assert package.components == {
        "adds": {"cuda": "CUDAExecutionProvider", "cpu": "CPUExecutionProvider"}
    }
    assert list(package.components["adds"]) == ["cuda", "cpu"]


def test_the_first_variant_for_the_cpu_is_chosen(package):
    chosen = package.select()
    assert (chosen.component, chosen.name, chosen.folder) == ("adds", "cpu", None)
    package.close()
    assert chosen.name == "cpu"


def test_where_no_variant_fits_there_is_an_error(real_api, tmp_path):
    write(tmp_path, manifest({"variants": {"v": {"ep": "Other"}}}))
    with ort.ModelPackage(tmp_path, real_api) as package, pytest.raises(Fail):
        package.select()


def test_unknown_names_are_refused(package, tmp_path):
    with pytest.raises(InvalidArgument):
        package.select("other")
    two = {"schema_version": "1", "components": {"a": ONLY, "b": ONLY}}
    with (
        ort.ModelPackage(write(tmp_path / "two", two), package.api) as several,
        pytest.raises(ValueError, match=r"component must name one of \['a', 'b'\]"),
    ):
        several.select()


def test_arguments_of_wrong_types_are_named(package, real_api):
    with pytest.raises(TypeError, match="path"):
        ort.ModelPackage(1, real_api)
    with pytest.raises(TypeError, match="reference"):
        package.resolve(1)
    with pytest.raises(TypeError, match="package must be a ModelPackage"):
        ort.PackageVariant(None, "adds")
    with pytest.raises(TypeError, match="options"):
        package.select(options=1)


def test_a_session_runs_the_chosen_variant(package):
    x = np.ones((1, 4), np.float32)
    with package.session() as session:
        assert session.run({"x": x})[0].tolist() == (x + x).tolist()
    options = ort.SessionOptions(intra_op_threads=1)
    with options, package.session("adds", options) as session:
        package.close()
        assert session.run({"x": x})[0].tolist() == (x + x).tolist()


def test_a_session_names_what_is_wrong(package, tmp_path):
    with pytest.raises(InvalidArgument):
        package.session("other")
    (tmp_path / "add.onnx").write_bytes(b"no model")
    with pytest.raises(OrtError):
        package.session()


def test_an_older_library_and_the_core_read_no_packages(core_api, tmp_path):
    with pytest.raises(NotImplemented, match="GetModelPackageApi came with API version 31"):
        ort.ModelPackage(write(tmp_path), ort.emulate(30))
    with pytest.raises(NotImplemented, match=r"CreateModelPackageContext.*no model packages"):
        ort.ModelPackage(write(tmp_path), core_api)
