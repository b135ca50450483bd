# SPDX-License-Identifier: MIT
"""ORTCORE_PROVIDERS: providers of sessions whose options name none."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from support import eps, models
from support.processes import run

import ortcffi as ort

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
        done = run(
            *(sys.executable, "-c", PROGRAM, path, *names),
            env=os.environ | {"ORTCORE_PROVIDERS": given},
        )
        (numbers, assigned), lines = json.loads(done.stdout)
        return numbers, assigned, lines

    return ran


@pytest.fixture
def add_ep(c_compiler):
    return str(eps.build(c_compiler, eps.ADDING))


def test_a_session_without_providers_uses_those_of_the_variable(ran, add_ep):
    numbers, assigned, lines = ran(f"::{add_ep}:")
    assert numbers == [[2, 2, 2, 2]]
    assert assigned == {"add_ep": ["Add"]}
    assert lines == [["INFO", "ORTCORE_PROVIDERS", add_ep]]


@pytest.mark.parametrize("name", ["CPU", "CPUExecutionProvider"])
def test_the_cpu_that_every_session_has_does_not_count_as_a_provider(ran, add_ep, name):
    assert ran(add_ep, names=[name])[1] == {"add_ep": ["Add"]}


def test_a_library_that_cannot_be_used_is_logged_and_the_others_are_used(ran, add_ep):
    numbers, _, lines = ran(f"/nowhere/ep.so?a=1:{add_ep}:{add_ep}")
    assert numbers == [[2, 2, 2, 2]]
    assert [severity for severity, _, _ in lines] == ["ERROR", "INFO", "ERROR"]
    assert "/nowhere/ep.so" in lines[0][2]
    assert lines[2][2].startswith(f"'{add_ep}': ")
    assert "already registered" in lines[2][2]


def test_the_order_and_the_options_are_those_of_the_variable(ran):
    paths = {each.name: each.path for each in ort.installed_eps()}
    if not {"ggml", "nxrt"} <= paths.keys():
        pytest.skip("onnxruntime-ggml or nxrt-ep-cpu is not installed")

    def chain():
        graph = ort.Graph()
        graph.input("x", "f4", [1, 4])
        graph.node("Add", ["x", "x"], ["h"])
        graph.node("Sign", ["h"], ["y"])  # which ggml lacks
        graph.output("y", "f4", [1, 4])
        return graph.to_bytes()

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


def test_sessions_of_each_thread_wait_for_the_libraries(tmp_path, c_compiler, core_library):
    """CreateEnv of other threads does not: the library's own thread calls it."""
    for name, text in (("slow", SLOW_LIBRARY), ("threads", TWO_THREADS)):
        (tmp_path / f"{name}.c").write_text(text)
    include = [f"-I{ort.get_include()}", "-D_GNU_SOURCE", "-pthread"]
    run(*c_compiler, *include, "-shared", "-fPIC", tmp_path / "slow.c", "-o", tmp_path / "slow.so")
    linked = [core_library, f"-Wl,-rpath,{Path(core_library).parent}"]
    run(*c_compiler, *include, tmp_path / "threads.c", "-o", tmp_path / "threads", *linked)
    (tmp_path / "model.onnx").write_bytes(models.add())
    program = [tmp_path / "threads", tmp_path / "model.onnx"]
    run(*program, env=os.environ | {"ORTCORE_PROVIDERS": str(tmp_path / "slow.so")})


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
#include <pthread.h>
#include <stdlib.h>
#include "onnxruntime_c_api.h"
static void* create(void* model) {
  const OrtApi* api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  OrtEnv* env;
  OrtSessionOptions* options;
  OrtSession* session;
  api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "", &env);
  api->CreateSessionOptions(&options);
  /* It fails after it has chosen: nothing computes the model. */
  api->ReleaseStatus(api->CreateSession(env, model, options, &session));
  return getenv("REGISTERED");
}
int main(int count, char** arguments) {
  pthread_t threads[2];
  void* registered[2];
  for (int i = 0; i < 2; i++) {
    pthread_create(&threads[i], NULL, create, arguments[count - 1]);
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], &registered[i]);
  }
  return registered[0] == NULL || registered[1] == NULL;
}
"""
