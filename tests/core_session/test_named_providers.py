# SPDX-License-Identifier: MIT
"""Providers of sessions: by a library, by the name of a package, by ORTCORE_PROVIDERS."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from support import eps, models
from support.graphs import graph_of
from support.prepared import printed_by
from support.processes import run

import ortcffi as ort

X = np.array([[1, 2, 3, 4]], np.float32)


@pytest.fixture
def add_ep(c_compiler):
    """A library with a provider that takes each node Add."""
    return str(eps.build(c_compiler, eps.ADDING))


def names(api):
    with ort.Env(api=api) as env:
        return [device.name for device in env.devices]


def test_a_library_beside_the_cpu_is_registered_once_with_the_real_library(real_api, add_ep):
    before = names(real_api)
    providers = [add_ep, "CPUExecutionProvider"]
    with (
        ort.Session(models.add(), providers=providers) as one,
        ort.Session(models.add(), providers=providers) as two,
    ):
        assert names(real_api) == [*before, "add_ep"]
        for session in (one, two):
            assert session.run({"x": X})[0].tolist() == [[2, 4, 6, 8]]
    assert names(real_api) == before


def test_a_library_without_a_device_is_refused(real_api, add_ep, monkeypatch):
    monkeypatch.setattr(ort.RegisteredEp, "devices", [])
    with pytest.raises(LookupError, match=r"has no device here: .*add_ep.* lists none"):
        ort.Session(models.add(), api=real_api, providers=[add_ep])


def test_a_package_that_is_missing_is_named(monkeypatch, real_api):
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(LookupError, match="'pip install nxrt-ep-cpu'"):
        ort.Session(models.add(), api=real_api, providers=["nxrt"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("NXRT", "'NXRT' is not there: did you mean 'nxrt'?"),
        ("OpenVINOExecutionProvider", "is not there: did you mean 'openvino'?"),
        ("references", "is not there: did you mean 'reference'?"),
        ("nope", "'nope' is not there. Installed providers: "),
    ],
)
def test_a_wrong_name_says_what_may_be_meant_and_what_is_installed(api, given, message):
    pytest.importorskip("onnx")  # of which 'reference' is made
    with pytest.raises(ort.OrtError) as caught:
        ort.Session(models.add(), api=api, providers=[given])
    installed = [each.name for each in ort.installed_eps()]
    assert message in caught.value.message
    assert f"Installed providers: {', '.join([*installed, 'reference'])};" in caught.value.message
    assert "CPUExecutionProvider" in caught.value.message


def test_a_library_may_have_any_name_if_its_folder_is_named(api, add_ep, tmp_path):
    path = shutil.copy(add_ep, tmp_path / "libadd.so.1")
    with ort.Session(models.add(), api=api, providers=[str(path)]) as session:
        assert session.run(x=X)[0].tolist() == [[2, 4, 6, 8]]
    with pytest.raises(ort.OrtError, match=r"/no/library"):
        ort.Session(models.add(), api=api, providers=["/no/library"])


def test_a_library_that_is_given_twice_is_refused(api, add_ep):
    with pytest.raises(ValueError, match=r"^providers has .*add_ep.* twice$"):
        ort.Session(models.add(), api=api, providers=[add_ep, (add_ep, {"a": "b"})])


def test_values_of_a_run_end_with_their_last_reader_so_that_others_get_their_memory(
    add_ep, tmp_path
):
    pytest.importorskip("onnx")  # says the types of inner values
    nodes = "; ".join(f"v{i + 1} = Add v{i} w" for i in range(20))
    graph = graph_of("v0 f4[65536]", nodes, "v20 f4[65536]", w=np.ones(1 << 16, np.float32))
    model = tmp_path / "model.onnx"
    ort.Model.load(graph.to_bytes()).prepare().save(model)
    code = """
import sys
import numpy as np
import ortcffi as ort
length, count = 1 << 16, 20
with ort.Session(sys.argv[1], providers=sys.argv[2:]) as session:
    memory = ort.core_api().default_allocator
    before = memory.stats.bytes_allocated
    (y,) = session.run(v0=np.ones(length, np.float32))
    assert y[0] == y[-1] == 1 + count
    print((memory.stats.max_memory - before) // (4 * length))
"""
    assert printed_by(code, model, add_ep) == "2"


# --- ORTCORE_PROVIDERS: providers of sessions whose options name none -----------------------------


PROGRAM = """
import json, sys
import numpy as np
import ortcffi as ort

lines = []
api = ort.core_api()
env = ort.Env("preset", api, logger=lambda message: lines.append(
    (message.severity.name, message.code_location, message.text)), severity=ort.LogSeverity.INFO)
options = ort.SessionOptions(api, config={"session.record_ep_graph_assignment_info": "1"})
for name in sys.argv[2:]:
    options.add_provider(name)
try:
    with ort.Session(sys.argv[1], options, env=env, api=api) as session:
        ran = session.run(x=np.ones((1, 4), np.float32))[0].tolist(), session.assignment
except ort.OrtError as error:
    ran = str(error), {}
print(json.dumps([ran, [each for each in lines if each[1] == "ORTCORE_PROVIDERS"]]))
"""


@pytest.fixture
def ran(tmp_path):
    """``ran(list)`` is what a process with that variable computes, and what it logs."""

    def ran(given, model=models.add, names=()):
        path = tmp_path / "model.onnx"
        path.write_bytes(model())
        printed = printed_by(PROGRAM, path, *names, ORTCORE_PROVIDERS=given)
        (numbers, assigned), lines = json.loads(printed)
        return numbers, assigned, lines

    return ran


@pytest.mark.parametrize("name", ["CPU", "CPUExecutionProvider"])
def test_the_cpu_that_every_session_has_does_not_count_as_a_provider(ran, add_ep, name):
    assert ran(add_ep, names=[name])[1] == {"add_ep": ["Add"]}


def test_a_library_that_cannot_be_used_is_logged_and_the_others_are_used(ran, add_ep):
    numbers, assigned, lines = ran(f"::/nowhere/ep.so?a=1:{add_ep}:{add_ep}:")
    assert numbers == [[2, 2, 2, 2]]
    assert assigned == {"add_ep": ["Add"]}
    assert [severity for severity, _, _ in lines] == ["ERROR", "INFO", "ERROR"]
    assert "/nowhere/ep.so" in lines[0][2]
    assert lines[1][1:] == ["ORTCORE_PROVIDERS", add_ep]
    assert lines[2][2].startswith(f"'{add_ep}': ")
    assert "already registered" in lines[2][2]


def test_the_order_and_the_options_are_those_of_the_variable(ran):
    paths = {each.name: each.path for each in ort.installed_eps()}
    if not {"ggml", "nxrt"} <= paths.keys():
        pytest.skip("onnxruntime-ggml or nxrt-ep-cpu is not installed")

    def chain():  # ggml lacks Sign
        return graph_of("x f4[1,4]", "h = Add x x; y = Sign h", "y f4[1,4]").to_bytes()

    ggml, nxrt = paths["ggml"], paths["nxrt"]
    assert len(ran(f"{ggml}:{nxrt}", chain)[1]) == 1
    assert len(ran(f"{ggml}?partial=1&threads=2:{nxrt}", chain)[1]) == 2
    assert len(ran(f"{nxrt}:{ggml}?partial=1", chain)[1]) == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root")
def test_a_program_with_more_rights_than_its_user_ignores_the_variables(
    tmp_path, add_ep, c_compiler, core_library
):
    (tmp_path / "client.c").write_text(CLIENT)
    include = f"-I{ort.get_include()}"
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # nobody may read the other folders
        Path(folder).chmod(0o755)
        library, program = shutil.copy(core_library, folder), Path(folder, "client")
        source, search = tmp_path / "client.c", f"-Wl,-rpath,{folder}"
        run(*c_compiler, include, source, "-o", program, library, search)
        plain = run(program, env={"ORTCORE_PROVIDERS": add_ep}).stderr
        assert f"ORTCORE_PROVIDERS] {add_ep}" in plain
        os.chown(program, 65534, 65534)
        program.chmod(0o4755)  # runs as its owner
        watch = {"ORTCORE_WATCH": f"{folder}/report.json"}
        refused = run(program, env={"ORTCORE_PROVIDERS": add_ep, **watch}).stderr
        assert "ORTCORE_PROVIDERS] ignored" in refused
        assert "ORTCORE_WATCH: ignored" in refused
        assert not Path(folder, "report.json").exists()


CLIENT = """
#include "onnxruntime_c_api.h"
int main(void) {
  const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtEnv* env;
  return api->CreateEnv(ORT_LOGGING_LEVEL_INFO, "client", &env) != NULL;
}
"""


def test_sessions_of_each_thread_wait_for_the_libraries(tmp_path, compile_c):
    """CreateEnv of other threads does not: the library's own thread calls it."""
    slow = compile_c(SLOW_LIBRARY, "-shared", "-fPIC", "-D_GNU_SOURCE", "-pthread")
    (tmp_path / "model.onnx").write_bytes(models.add())
    printed = printed_by(TWO_THREADS, tmp_path / "model.onnx", ORTCORE_PROVIDERS=str(slow))
    assert printed == "[True, True]"


SLOW_LIBRARY = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "onnxruntime_c_api.h"
static void* use_env(void* api) {
  OrtEnv* env;
  ((const OrtApi*)api)->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "", &env);
  ((const OrtApi*)api)->ReleaseEnv(env);
  return NULL;
}
ORT_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t capacity, size_t* count) {
  (void)name, (void)logger, (void)factories, (void)capacity, (void)count;
  const OrtApi* api = base->GetApi(ORT_API_VERSION);
  pthread_t thread;
  pthread_create(&thread, NULL, use_env, (void*)api);
  pthread_join(thread, NULL);
  usleep(300000);
  setenv("REGISTERED", "1", 1);
  return api->CreateStatus(ORT_FAIL, "not on this machine");
}
ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  (void)factory;
  return NULL;
}
"""

TWO_THREADS = """
import ctypes, sys, threading
import ortcffi as ort

api, seen = ort.core_api(), []

def create():
    with ort.Env("threads", api, severity=ort.LogSeverity.FATAL) as env:
        try:
            ort.Session(sys.argv[1], env=env)
        except ort.errors.NotImplemented:  # it has chosen: nothing computes the model
            seen.append(ctypes.CDLL(None).getenv(b"REGISTERED") != 0)

threads = [threading.Thread(target=create) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(seen)
"""
