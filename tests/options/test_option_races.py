# SPDX-License-Identifier: MIT
"""Options that threads read and change at once, and mappings that answer differently each time."""

import os
import shutil
from collections.abc import Mapping

import pytest
from support.paths import CHECKOUT
from support.threads import race

import ortcffi as ort

ROUNDS = 500
CUSTOM_OPS = CHECKOUT / "tests/c/clients/custom_ops.c"


def text(i):
    return "x" * (1 + i % 97)


RACES = {  # the kind of options; what one thread does again and again; what another reads
    "a tag": (
        ort.RunOptions,
        lambda options, i: setattr(options, "tag", text(i)),
        lambda options: [options.tag],
    ),
    "an entry of runs": (
        ort.RunOptions,
        lambda options, i: options.config.update(key=text(i)),
        lambda options: [options.config["key"], *options.config.to_dict().values()],
    ),
    "an entry of sessions": (
        ort.SessionOptions,
        lambda options, i: options.config.update(key=text(i)),
        lambda options: [options.config["key"], options.config.get("none", "x")],
    ),
    "dimensions": (
        ort.SessionOptions,
        lambda options, i: options.fix_dimension(text(i), i),
        lambda options: [dimension.name for dimension in options.free_dimensions[-5:]],
    ),
}


@pytest.mark.parametrize("what", RACES)
def test_what_is_read_while_it_is_changed_is_whole(api, what):
    kind, change, read = RACES[what]
    with ort.Env("races", api, severity=4), kind(api, config={"key": "x"}) as options:
        if kind is ort.RunOptions:
            options.tag = "x"

        def check(_i):
            assert {*"".join(read(options))} <= {"x"}

        race(ROUNDS, lambda i: change(options, i), check)


def test_ops_are_read_while_threads_register_more_and_none_is_lost(core_api, compile_c, tmp_path):
    library = compile_c(CUSTOM_OPS, "-shared", "-fPIC", "-DASKED=16")
    with ort.SessionOptions(core_api) as options:

        def register(name):
            copy = shutil.copy(library, tmp_path / f"{name}.so")
            options.register_custom_ops(copy)
            options.add_custom_op_domain(ort.CustomOpDomain(name, core_api))

        def read(_i):
            assert {op.name for op in options.custom_ops} <= {"Nothing"}

        race(25, lambda i: register(f"one {i}"), lambda i: register(f"two {i}"), read)
        assert len(options.custom_ops) == len(options._values["op_domains"]) == 50


# --- mappings that change -------------------------------------------------------------------------


class Changing(Mapping):
    """A mapping that has another key each time it is read, and reports a wrong length."""

    def __init__(self, value):
        self.value = value
        self.reads = 0

    def __len__(self):
        return 10**6

    def __iter__(self):
        self.reads += 1
        yield f"key {self.reads}"

    def __getitem__(self, key):
        return self.value


def test_a_mapping_is_read_once(api):
    entries, dimensions = Changing("1"), Changing(3)
    with ort.SessionOptions(api, config=entries, free_dimensions=dimensions) as options:
        options.add_external_files(Changing(b"content"))
        assert options.external_files == {"key 1": b"content"}
        assert options.config == {"key 1": "1"}
        assert [dimension.name for dimension in options.free_dimensions] == ["key 1"]


def test_an_environment_reads_a_providers_options_once(api):
    with ort.Env("changing", api) as env:
        env.create_arena(provider="CPUExecutionProvider", options=Changing("1"))


# --- op libraries ---------------------------------------------------------------------------------


def test_a_fifo_is_not_waited_for(api, tmp_path):
    os.mkfifo(tmp_path / "fifo.so")
    with (
        ort.SessionOptions(api) as options,
        pytest.raises(ort.errors.Fail, match=r"fifo\.so: .*is not a regular file"),
    ):
        options.register_custom_ops(tmp_path / "fifo.so")


def test_an_op_with_too_many_inputs_is_refused_by_name(core_api, compile_c):
    flags = ["-DASKED=16", "-DOP_FIELDS=.GetInputTypeCount=most"]
    with ort.SessionOptions(core_api) as options:
        options.register_custom_ops(compile_c(CUSTOM_OPS, "-shared", "-fPIC", *flags))
        with pytest.raises(ValueError, match="the op 'Nothing' declares 18446744073709551615"):
            _ = options.custom_ops
