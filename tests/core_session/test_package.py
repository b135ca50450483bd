# SPDX-License-Identifier: MIT
"""Model packages, read by the core and by the real library, and run by the real one."""

import json

import numpy as np
import pytest
from support import eps
from support.packages import ASSET, CPU, VARIANTS, manifest, write
from support.releases import needs_release
from support.threads import run_threads

import ortcffi as ort
from ortcffi.cli import info
from ortcffi.errors import Fail, InvalidArgument, NotImplemented, OrtError

pytestmark = needs_release(31, "model packages")

ONLY = {"variants": {"cpu": CPU}}


@pytest.fixture
def package(api, tmp_path):
    with ort.ModelPackage(write(tmp_path), api) as package:
        yield package


def opened(api, folder, said, **files):
    """The components of a package that is written first."""
    with ort.ModelPackage(write(folder, said, **files), api) as package:
        return package.components


# --- what a manifest says -------------------------------------------------------------------------


def test_a_package_has_components_with_variants_in_the_manifests_order(package):
    assert package.schema_version == 1
    assert package.components == {
        "adds": {"cuda": "CUDAExecutionProvider", "cpu": "CPUExecutionProvider"}
    }
    assert list(package.components["adds"]) == ["cuda", "cpu"]


@pytest.mark.parametrize("version", ["1", "1.0", "1.7", "01.2", 1])
def test_versions_of_the_first_format_are_read(api, tmp_path, version):
    said = manifest(ONLY, schema_version=version)
    assert opened(api, tmp_path, said) == {"adds": {"cpu": "CPUExecutionProvider"}}


def test_all_fields_are_read(api, tmp_path):
    said = manifest(
        {"component_name": "x", "variants": {"v": {}}, "additional_metadata": [1]},
        package_name="a",
        package_version="b",
        description="c",
        layout="installed",
        shared_assets={ASSET: "files"},
        additional_metadata=None,
    )
    assert opened(api, tmp_path, said) == {"adds": {"v": None}}


def test_a_byte_order_mark_and_escapes_are_read(api, tmp_path):
    said = json.dumps(manifest(ONLY)).replace("adds", r"\ud83d\ude00\u00e4\n").encode()
    assert list(opened(api, tmp_path, b"\xef\xbb\xbf" + said)) == ["😀ä\n"]


@pytest.mark.parametrize("version", ["1.1", "1.10", "1.999"])
@pytest.mark.parametrize("place", ["manifest", "component", "variant"])
def test_fields_that_a_later_format_has_are_ignored(api, tmp_path, version, place):
    said = manifest({"variants": {"v": {}}})
    component = said["components"]["adds"]
    {"manifest": said, "component": component, "variant": component["variants"]["v"]}[place][
        "new"
    ] = 1
    for earlier in ["1", "1.0", "1.00", 1]:
        with pytest.raises(Fail, match="new"):
            opened(api, tmp_path, {**said, "schema_version": earlier})
    assert opened(api, tmp_path, {**said, "schema_version": version}) == {"adds": {"v": None}}


def of_session(options):
    """A manifest whose variant sets options of sessions."""
    info = {"ort": {"session_options": options}}
    return manifest({"variants": {"v": {"executor_info": info}}})


@needs_release(32, "limits of the options in packages")
@pytest.mark.parametrize(
    "name",
    [
        "session.enable_profiling",
        "session.optimized_model_filepath",
        "session.collect_node_memory_stats_to_file",
        "session.debug_layout_transformation",
    ],
)
def test_a_package_has_no_options_that_write_files(api, tmp_path, name):
    with pytest.raises(Fail, match=name):
        opened(api, tmp_path, of_session({name: ""}))


@needs_release(32, "limits of the options in packages")
@pytest.mark.parametrize(
    "name",
    [
        "ep.context_file_path",
        "ep.context_source_model_path",
        "session.model_external_initializers_file_folder_path",
    ],
)
def test_options_of_packages_name_files_of_the_package_only(api, tmp_path, name):
    for path in ["", "x", "not/there", ASSET]:
        files = {f"shared_assets/{ASSET.replace(':', '-')}/m": b""}
        assert opened(api, tmp_path, of_session({name: path}), **files) == {"adds": {"v": None}}
    for path in ["../x", "/x", ASSET.replace("0", "1")]:
        with pytest.raises(Fail):
            opened(api, tmp_path, of_session({name: path}))


WRONG = {
    "no JSON": b"{",
    "nothing": b"",
    "two values": b"{} {}",
    "a comment": b"{/**/}",
    "a list": [],
    "half a pair of surrogates": b'{"schema_version":"1","components":{"\\ud83d":{"variants":{}}}}',
    "bytes that are not UTF-8": b'{"schema_version":"1","components":{"\xff":{"variants":{}}}}',
    "an overlong character": b'{"schema_version":"1","components":{"\xc0\xaf":{"variants":{}}}}',
    "no version": {"components": {}},
    "no components": {"schema_version": "1.0"},
    "an unknown field": manifest(ONLY, other=1),
    "a name that is a number": manifest(ONLY, package_name=1),
    "a strange layout": manifest(ONLY, layout="x"),
    "components in a list": {"schema_version": "1.0", "components": []},
    "a component that is a number": manifest(1),
    "no variants": manifest({}),
    "a component's name that is a number": manifest({**ONLY, "component_name": 1}),
    "variants in a list": manifest({"variants": []}),
    "an unknown field of a component": manifest({**ONLY, "ep": "x"}),
    "a variant that is a text": manifest({"variants": {"v": "x"}}),
    "an unknown field of a variant": manifest({"variants": {"v": {"file": "x"}}}),
    "a provider that is a number": manifest({"variants": {"v": {"ep": 1}}}),
    "a variant's name that is no path": manifest({"variants": {"..": CPU}}),
    "executors in a list": manifest({"variants": {"v": {"executor_info": []}}}),
    "an executor that is a number": manifest({"variants": {"v": {"executor_info": {"ort": 1}}}}),
    "a model file that is a number": manifest(
        {"variants": {"v": {"executor_info": {"ort": {"model_file": 1}}}}}
    ),
    "options that are numbers": manifest(
        {"variants": {"v": {"executor_info": {"ort": {"session_options": {"a": 1}}}}}}
    ),
    "options in a list": manifest(
        {"variants": {"v": {"executor_info": {"ort": {"provider_options": []}}}}}
    ),
    "an asset without a digest": manifest(ONLY, shared_assets={"sha256:00": "x"}),
    "an asset that is a number": manifest(ONLY, shared_assets={ASSET: 1}),
    "an asset outside": manifest(ONLY, shared_assets={ASSET: "../x"}),
    "a component that is missing": manifest("nowhere"),
    "a component outside": manifest("../x"),
    "a component at the root": manifest("/etc"),
    "a folder that is missing": manifest({"variants": {"v": {"variant_directory": "nowhere"}}}),
    "a model outside": manifest(
        {"variants": {"v": {"executor_info": {"ort": {"model_file": "../m"}}}}}
    ),
    **{
        f"version {each!r}": manifest(ONLY, schema_version=each)
        for each in ["2.0", "0.9", "", "x", "1.", "1.x", " 1", "1.0.0", 1.0, 2, -1, None, True]
    },
}


@pytest.mark.parametrize("said", WRONG.values(), ids=WRONG)
def test_what_is_no_manifest_is_refused(api, tmp_path, said):
    with pytest.raises(Fail):
        ort.ModelPackage(write(tmp_path, said), api)


DEEP = b"[" * 65 + b"]" * 65
STRICTER = {
    "a name twice": (b'{"schema_version":"1","schema_version":"1"}', "already"),
    "a zero byte in a name": (b'{"a\\u0000b":1}', "zero byte"),
    "deep lists": (b'{"additional_metadata":' + DEEP + b"}", "too deep"),
    "a long text": (b" " * (4 << 20) + b"{}", "too long"),
    "many values": (b"[" + b"1," * 65536 + b"1]", "too many values"),
    "many members": (
        json.dumps({str(i): 1 for i in range(4097)}).encode(), "too many members"),
    "a control character": (b'{"\n":1}', "control character"),
    "a word": (b"nul", "a value is missing"),
    "a number": (b"01", "number"),
}  # fmt: skip


@pytest.mark.parametrize(("said", "text"), STRICTER.values(), ids=STRICTER)
def test_the_core_says_where_json_is_wrong(core_api, tmp_path, said, text):
    with pytest.raises(Fail, match=rf"manifest\.json' at byte \d+: .*{text}"):
        ort.ModelPackage(write(tmp_path, said), core_api)


def test_the_files_of_a_package_are_bounded_together(core_api, tmp_path):
    said = {"schema_version": "1", "components": dict.fromkeys("abcdef", "large")}
    large = {**ONLY, "additional_metadata": "x" * 1_000_000}
    with pytest.raises(Fail, match=r"component\.json' the files of the package are too long"):
        opened(core_api, tmp_path, said, **{"large/component.json": large})


def test_a_manifest_cut_anywhere_is_refused(core_api, tmp_path):
    whole = json.dumps(manifest({"variants": VARIANTS}, shared_assets={ASSET: "é"})).encode()
    for end in range(len(whole)):
        with pytest.raises(Fail):
            ort.ModelPackage(write(tmp_path, whole[:end]), core_api)


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["dec", "dec/component.json", "dec/other.json", "./dec//"])
def test_a_component_may_be_in_a_file_of_its_own(api, tmp_path, path):
    files = {"dec/component.json": ONLY, "dec/other.json": ONLY, "dec/cpu/model.onnx": b""}
    write(tmp_path, manifest(path), **files)
    with ort.ModelPackage(tmp_path, api) as package:
        assert package.select().folder == str(tmp_path.resolve() / "dec/cpu")


def test_a_variants_folder_is_named_or_has_its_name(api, tmp_path):
    variants = {"cpu": {**CPU, "variant_directory": "named"}}
    write(tmp_path, manifest({"variants": variants}), **{"named/x": b"", "cpu/x": b""})
    with ort.ModelPackage(tmp_path, api) as package:
        assert package.select().folder == str(tmp_path.resolve() / "named")
    write(tmp_path, manifest(ONLY))
    with ort.ModelPackage(tmp_path, api) as package:
        assert package.select().folder == str(tmp_path.resolve() / "cpu")


def test_an_executors_settings_may_be_in_a_file_of_the_variants_folder(api, tmp_path):
    said = manifest({"variants": {"v": {**CPU, "executor_info": {"ort": "ort.json"}}}})
    with pytest.raises(Fail):
        opened(api, tmp_path, said)
    assert opened(api, tmp_path, said, **{"v/ort.json": {}}) == {"adds": {"v": CPU["ep"]}}
    with pytest.raises(Fail):
        opened(api, tmp_path, said, **{"v/ort.json": b"{"})


def test_a_reference_is_a_path_of_the_package_or_a_shared_asset(api, tmp_path):
    said = manifest(ONLY, shared_assets={ASSET: "assets"})
    root = str(write(tmp_path, said, **{"assets/m": b"", "d/f": b""}).resolve())
    (tmp_path / "link").symlink_to(tmp_path / "d")
    with ort.ModelPackage(tmp_path, api) as package:
        assert package.resolve("d/f", must_exist=True) == f"{root}/d/f"
        assert package.resolve("./d//f") == f"{root}/d/f"
        assert package.resolve("link/f", must_exist=True) == f"{root}/d/f"
        assert package.resolve("not/yet") == f"{root}/not/yet"
        assert package.resolve("f", f"{root}/d") == f"{root}/d/f"
        assert package.resolve(ASSET) == f"{root}/assets"
        assert package.resolve(f"{ASSET}/m", must_exist=True) == f"{root}/assets/m"
        assert package.resolve("sha256:short") == f"{root}/sha256:short"


@pytest.mark.parametrize(
    ("reference", "base"),
    [
        *((text, None) for text in ["", "..", "d/..", "d/../f", "/etc/passwd", "out", "out/x"]),
        ("nowhere", None),
        (ASSET.replace("0", "1"), None),
        ("passwd", "/etc"),
        ("f", "d"),
        ("../f", "ROOT/d"),
        ("f", "ROOT/.."),
        ("f", "ROOT/nowhere/../.."),
    ],
)
def test_a_reference_that_leaves_the_package_is_refused(api, tmp_path, reference, base):
    write(tmp_path, manifest(ONLY), **{"d/f": b""})
    (tmp_path / "out").symlink_to("/etc")
    base = base and base.replace("ROOT", str(tmp_path.resolve()))
    with ort.ModelPackage(tmp_path, api) as package, pytest.raises(Fail):
        package.resolve(reference, base, must_exist=True)


def test_a_reference_does_not_go_up_from_a_folder_that_is_missing(core_api, tmp_path):
    write(tmp_path, manifest(ONLY))
    with ort.ModelPackage(tmp_path, core_api) as package:
        for base in ["nowhere/..", "nowhere/../..", "nowhere//../.."]:
            with pytest.raises(Fail, match="goes up from a folder that is missing"):
                package.resolve("f", f"{tmp_path.resolve()}/{base}")


def test_an_asset_that_is_not_declared_is_found_by_its_digest(api, tmp_path):
    folder = f"shared_assets/{ASSET.replace(':', '-')}"
    root = str(write(tmp_path, manifest(ONLY), **{f"{folder}/m": b""}).resolve())
    with ort.ModelPackage(tmp_path, api) as package:
        for reference in [ASSET, f"{ASSET}/"]:
            assert package.resolve(reference, must_exist=True) == f"{root}/{folder}"
        assert package.resolve(f"{ASSET}/m", must_exist=True) == f"{root}/{folder}/m"


@pytest.mark.parametrize("reference", ["../x", "/etc", "link", "broken"])
def test_the_core_refuses_what_leaves_also_an_installed_package(core_api, tmp_path, reference):
    write(tmp_path, manifest(ONLY, layout="installed"))
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    with (
        ort.ModelPackage(tmp_path, core_api) as package,
        pytest.raises(Fail, match=r"folder|lead|\.\."),
    ):
        package.resolve(reference)


def test_a_folder_without_a_manifest_is_refused(api, tmp_path):
    for path in [tmp_path, tmp_path / "nowhere"]:
        with pytest.raises(Fail):
            ort.ModelPackage(path, api)
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(Fail):
        ort.ModelPackage(tmp_path, api)


# --- variants -------------------------------------------------------------------------------------


def test_the_first_variant_for_the_cpu_is_chosen(package):
    chosen = package.select()
    assert (chosen.component, chosen.name, chosen.folder) == ("adds", "cpu", None)
    package.close()
    assert chosen.name == "cpu"


@needs_release(32, "the device of its CPU")
@pytest.mark.parametrize("device", ["cpu", "CPU", "Cpu", ""])
def test_the_device_is_compared_without_case(api, tmp_path, device):
    write(tmp_path, manifest({"variants": {"v": {**CPU, "device": device}}}))
    with ort.ModelPackage(tmp_path, api) as package:
        assert package.select().name == "v"


@pytest.mark.parametrize(
    "variants", [{}, {"v": {}}, {"v": {"ep": "Other"}}, {"v": {**CPU, "device": "gpu"}}]
)
def test_where_no_variant_fits_there_is_an_error(api, tmp_path, variants):
    write(tmp_path, manifest({"variants": variants}))
    with ort.ModelPackage(tmp_path, api) as package, pytest.raises(Fail):
        package.select()


# Variants for the provider that was added, each with a device and a mark; which of them fit, the
# best first.
RATED = {
    "the first of equals": ([("", None), ("cpu", None), (None, None)], [0, 1, 2]),
    "a device of another type": ([("gpu", None), ("npu", None), ("x", None)], []),
    "marks": (
        [(None, "later"), (None, "of another"), (None, "of an older one"), (None, "of context_ep")],
        [3, 2, 1, 0],
    ),
    "marks that do not fit": ([(None, "x"), (None, "fails")], []),
    "one without a mark and others": ([(None, "of another"), (None, None), (None, "")], [0, 1, 2]),
}


@needs_release(32, "the device of its CPU")
@pytest.mark.parametrize(("variants", "order"), RATED.values(), ids=RATED)
def test_the_variant_is_chosen_that_fits_the_first_provider_best(api, tmp_path, variants, order):
    library = eps.built(eps.WITH_CONTEXTS)
    with (
        ort.Env("packages", api) as env,
        env.register_ep(library, "ProviderOfPackages") as first,
        env.register_ep(library, "SecondOfPackages") as second,
        ort.SessionOptions(api) as options,
    ):
        options.add_devices(first.devices)
        options.add_devices(second.devices)
        said = {
            str(i): {"ep": first.name, "device": device or "", "compatibility_string": mark or ""}
            for i, (device, mark) in enumerate(variants)
        }
        for i in range(len(order) + 1):
            others = {"second": {"ep": second.name}, "cpu": CPU, "none": {}}
            write(tmp_path, manifest({"variants": {**others, **said}}))
            with ort.ModelPackage(tmp_path, api) as package:
                if i == len(order):
                    with pytest.raises(Fail):
                        package.select(options=options)
                else:
                    assert package.select(options=options).name == str(order[i])
                    del said[str(order[i])]


def test_unknown_names_are_refused(package, tmp_path):
    with pytest.raises(InvalidArgument):
        package.select("other")
    two = {"schema_version": "1", "components": {"a": ONLY, "b": ONLY}}
    with (
        ort.ModelPackage(write(tmp_path / "two", two), package.api) as several,
        pytest.raises(ValueError, match=r"component must name one of \['a', 'b'\]"),
    ):
        several.select()


def test_threads_share_a_package(package):
    def ask():
        for i in range(50):
            assert package.resolve(f"file {i}").endswith(f"/file {i}")
            assert package.select().name == "cpu"

    run_threads(*[ask] * 4)


def test_arguments_of_wrong_types_are_named(package, api):
    with pytest.raises(TypeError, match="path"):
        ort.ModelPackage(1, api)
    with pytest.raises(TypeError, match="reference"):
        package.resolve(1)
    with pytest.raises(TypeError, match="package must be a ModelPackage"):
        ort.PackageVariant(None, "adds")
    with pytest.raises(TypeError, match="options"):
        package.select(options=1)


# --- sessions -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("real_api")
def test_a_session_runs_the_chosen_variant(package):
    x = np.ones((1, 4), np.float32)
    with package.session() as session:
        assert session.run({"x": x})[0].tolist() == (x + x).tolist()
    options = ort.SessionOptions(intra_op_threads=1)
    with options, package.session("adds", options) as session:
        package.close()
        assert session.run({"x": x})[0].tolist() == (x + x).tolist()


@pytest.mark.usefixtures("real_api")
def test_a_session_names_what_is_wrong(package, tmp_path):
    with pytest.raises(InvalidArgument):
        package.session("other")
    (tmp_path / "add.onnx").write_bytes(b"no model")
    with pytest.raises(OrtError):
        package.session()


def test_an_older_library_has_no_packages(tmp_path):
    with pytest.raises(NotImplemented, match="GetModelPackageApi came with API version 31"):
        ort.ModelPackage(write(tmp_path), ort.emulate(30))


def test_the_command_info_lists_the_variants(tmp_path, capsys):
    assert info.main([str(write(tmp_path))]) == 0
    text = capsys.readouterr().out
    assert "component adds:\n  cuda: CUDAExecutionProvider\n  cpu: CPUExecutionProvider\n" in text
    assert info.main([str(tmp_path), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["components"] == {"adds": {name: each["ep"] for name, each in VARIANTS.items()}}


def test_the_command_info_names_the_models_of_a_folder_without_a_manifest(tmp_path, capsys):
    assert info.main([str(tmp_path)]) == 1
    message = f"{str(tmp_path)!r} is a folder without 'manifest.json', so it is no model package: "
    assert f"{message}give the file of a model\n" in capsys.readouterr().err
    for name in "abcd":
        (tmp_path / f"{name}.onnx").touch()
    assert info.main([str(tmp_path)]) == 1
    files = "'a.onnx', 'b.onnx', 'c.onnx' and 1 more"
    assert f"{message}give the file of a model; it has {files}\n" in capsys.readouterr().err
