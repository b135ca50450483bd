# SPDX-License-Identifier: MIT
"""ORTCORE_WATCH: a report of what the clients of a library call, and do not release."""

import json
import os

import pytest
from support import models
from support.processes import run

CLIENT = r"""
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "onnxruntime_c_api.h"
#define DO(call) do { OrtStatus* failed = api->call; if (failed != NULL) { abort(); } } while (0)
#define EACH(X) \
  X(Env, env) X(SessionOptions, options) X(RunOptions, run) X(MemoryInfo, info) X(Value, value) \
  X(TensorTypeAndShapeInfo, shape) X(TypeInfo, type) X(CustomOpDomain, domain) \
  X(ThreadingOptions, threading) X(ArenaCfg, arena) X(PrepackedWeightsContainer, weights) \
  X(KeyValuePairs, pairs)

int main(int argc, char** argv) {
  const OrtApi* api = OrtGetApiBase()->GetApi(22);
  if (strcmp(argv[1], "odd") == 0) {
    return api->CreateStatus(ORT_FAIL, "\"\xff\xc3\xa9\xed\xa0\x80\xf8\x88\xbf\x80") == NULL;
  }
#define DECLARE(type, name) Ort##type* name;
  EACH(DECLARE)
  float numbers[4] = {1, 2, 3, 4};
  int64_t dims[] = {1, 4};
  DO(CreateEnv(ORT_LOGGING_LEVEL_FATAL, "", &env));
  DO(CreateSessionOptions(&options));
  DO(CreateRunOptions(&run));
  DO(CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
  DO(CreateTensorWithDataAsOrtValue(info, numbers, sizeof numbers, dims, 2,
                                    ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
  DO(GetTensorTypeAndShape(value, &shape));
  DO(GetTypeInfo(value, &type));
  DO(CreateCustomOpDomain("domain", &domain));
  DO(CreateThreadingOptions(&threading));
  DO(CreateArenaCfg(0, -1, -1, -1, &arena));
  DO(CreatePrepackedWeightsContainer(&weights));
  api->CreateKeyValuePairs(&pairs);
  OrtStatus* read = api->AddSessionConfigEntry(options, "", "");
  OrtStatus* unread = api->AddSessionConfigEntry(options, "", "");
  OrtStatus* left = api->AddRunConfigEntry(run, "", "");
  if (api->GetErrorCode(read) != ORT_INVALID_ARGUMENT) abort();
  api->ReleaseStatus(read);
  api->ReleaseStatus(unread);
  if (strcmp(argv[1], "fork") == 0 && fork() == 0) {
    api->ReleaseEnv(env);
    exit(0);
  }
  wait(NULL);
  if (strcmp(argv[1], "leak") == 0) return 0;
  if (argc > 2) { /* a model: the first output is the client's */
    OrtSession* session;
    OrtIoBinding* binding;
    OrtAllocator* allocator;
    OrtValue* outputs[] = {value, NULL};
    OrtValue** bound;
    size_t count;
    const char* const names[] = {"a", "b"};
    const OrtValue* input = value;
    DO(CreateSession(env, argv[2], options, &session));
    DO(CreateTensorWithDataAsOrtValue(info, numbers, sizeof numbers, dims, 2,
                                      ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &outputs[0]));
    DO(Run(session, run, (const char*[]){"x"}, &input, 1, names, 2, outputs));
    DO(CreateIoBinding(session, &binding));
    DO(BindInput(binding, "x", value));
    DO(BindOutputToDevice(binding, "a", info));
    DO(RunWithBinding(session, run, binding));
    DO(GetAllocatorWithDefaultOptions(&allocator));
    DO(GetBoundOutputValues(binding, allocator, &bound, &count));
    DO(AllocatorFree(allocator, bound));
    api->ReleaseValue(outputs[0]);
    api->ReleaseIoBinding(binding);
    api->ReleaseSession(session);
  }
  api->ReleaseStatus(left);
#define RELEASE(type, name) if ((void*)name != env) api->Release##type(name);
  EACH(RELEASE)
  api->ReleaseEnv(env);
  if (strcmp(argv[1], "end") == 0) _exit(0);
  return 0;
}
"""
LEFT = {
    "CreateEnv": 1,
    "CreateSessionOptions": 1,
    "CreateRunOptions": 1,
    "CreateCpuMemoryInfo": 1,
    "CreateTensorWithDataAsOrtValue": 1,
    "GetTensorTypeAndShape": 1,
    "GetTypeInfo": 1,
    "CreateCustomOpDomain": 1,
    "CreateThreadingOptions": 1,
    "CreateArenaCfg": 1,
    "CreatePrepackedWeightsContainer": 1,
    "CreateKeyValuePairs": 1,
}


@pytest.fixture
def client(compile_c, core_library):
    return compile_c(CLIENT, str(core_library), f"-Wl,-rpath,{core_library.parent}")


@pytest.fixture
def watched(client, tmp_path):
    """``watched(*arguments)`` is the report of the client, before a library if there is one."""
    path = tmp_path / "report.json"

    def watched(*arguments, before=None):
        target = path if before is None else f"{path}?library={before}"
        run(client, *arguments, env=os.environ | {"ORTCORE_WATCH": str(target)})
        return json.loads(path.read_text())

    return watched


def test_what_is_left_is_named_by_slot_and_by_kind(watched):
    report = watched("leak")
    assert report["left_objects"] == LEFT
    assert (
        report["left_kinds"].items()
        >= {"environment": 1, "session options": 1, "status": 1}.items()
    )
    (status,) = report["left_statuses"]
    assert (status["slot"], status["code"]) == ("AddRunConfigEntry", 2)
    assert "onfig" in status["message"]


def test_a_message_that_is_no_utf_8_leaves_the_report_json(watched):
    (status,) = watched("odd")["left_statuses"]
    assert status["message"].replace("\ufffd", "?") == '"?é???????'


@pytest.mark.parametrize("way", ["return", "end"])
def test_nothing_is_left_by_a_client_that_releases_all(watched, way):
    report = watched(way)
    assert (report["left_objects"], report["left_statuses"], report["left_kinds"]) == ({}, [], {})
    assert report["calls"]["AddSessionConfigEntry"] == report["calls"]["ReleaseStatus"] - 1 == 2


def test_statuses_that_nobody_reads_are_counted(watched):
    assert watched("return")["unread_statuses"] == {
        "AddSessionConfigEntry": 1,
        "AddRunConfigEntry": 1,
    }


def test_another_library_is_watched_too(watched, real_library, tmp_path):
    assert watched("leak", before=real_library)["left_objects"] == LEFT
    nodes = [models.node("Add", "x x", "a"), models.node("Add", "x x", "b")]
    ports = [models.value("x")], [models.value("a"), models.value("b")]
    (tmp_path / "model.onnx").write_bytes(models.model(nodes, *ports))
    report = watched("return", tmp_path / "model.onnx", before=real_library)
    assert report["left_objects"] == {"Run": 1, "GetBoundOutputValues": 1}
    assert (report["left_statuses"], report["left_kinds"]) == ([], {})


def test_a_status_of_another_library_is_not_read_when_it_may_be_freed(watched, real_library):
    (status,) = watched("leak", before=real_library)["left_statuses"]
    assert status == {"slot": "AddRunConfigEntry"}


def test_the_core_may_be_named_as_the_library(watched, core_library):
    assert watched("leak", before=core_library)["left_objects"] == LEFT


def test_the_child_of_a_fork_leaves_the_report_alone(watched):
    assert watched("fork")["calls"]["ReleaseEnv"] == 1


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("/nowhere/report.json", "the report cannot be written: /nowhere/report.json"),
        ("/" * 5000, "ignored, because it is too long"),
        ("r.json?library=/nowhere.so", "ignored, because the library cannot be used: /nowhere.so"),
    ],
)
def test_what_cannot_be_done_is_said_once_and_harms_nothing(client, tmp_path, value, complaint):
    done = run(client, "return", env=os.environ | {"ORTCORE_WATCH": value}, cwd=tmp_path)
    assert done.stderr.count("ORTCORE_WATCH: ") == 1
    assert complaint in done.stderr
    assert not (tmp_path / "r.json").exists()
