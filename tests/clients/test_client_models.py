# SPDX-License-Identifier: MIT
"""Models of clients on execution providers, on the core, beside the installed onnxruntime.

They need the extras `clients` and `eps`, and silero-vad, which `pip install --no-deps` installs
without torch. They run only where this folder is named.
"""

from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import ortcffi as ort
from ortcffi.testing.random_inputs import random_feed

PRECISE = ("openvino", {"load_config": '{"CPU": {"INFERENCE_PRECISION_HINT": "f32"}}'})
# By how much outputs may differ, as a share of the largest element. OpenVINO computes in bfloat16
# where the CPU can.
COARSE = {"openvino": 2e-2, "openvino-f32": 5e-3}
FINE = {"openvino-f32": 5e-3}
ALL = COARSE | {"reference": 1e-4}


class Client(NamedTuple):
    """A model in a package, on which providers it runs, and inputs that are no random numbers."""

    package: str
    file: str
    on: dict[str, float]
    shapes: dict[str, tuple[int, ...]] = {}  # noqa: RUF012  # never changed
    values: dict[str, object] = {}  # noqa: RUF012


SPEECH = {"input": (1, 512), "state": (2, 1, 128)}
RAPID, DDDD = "rapidocr_onnxruntime", "ddddocr"
BYTES = {"bytes": np.arange(2048, dtype=np.int32).reshape(1, 2048) % 256}
CLIENTS = [
    Client("magika", "models/standard_v3_3/model.onnx", FINE, {}, BYTES),
    Client(
        "silero_vad", "data/silero_vad_16k_op15.onnx", ALL, SPEECH, {"sr": np.array(16000, "i8")}
    ),
    Client("silero_vad", "data/silero_vad_openvino_16k.onnx", ALL),
    Client(RAPID, "models/ch_PP-OCRv4_det_infer.onnx", FINE, {"x": (1, 3, 320, 320)}),
    Client(RAPID, "models/ch_PP-OCRv4_rec_infer.onnx", FINE, {"x": (1, 3, 48, 320)}),
    Client(RAPID, "models/ch_ppocr_mobile_v2.0_cls_infer.onnx", COARSE, {"x": (1, 3, 48, 192)}),
    Client("nudenet", "320n.onnx", ALL, {"images": (1, 3, 320, 320)}),
    Client(DDDD, "common.onnx", COARSE, {"input1": (1, 1, 64, 192)}),
    Client(DDDD, "common_det.onnx", FINE),
]


def content_of(client):
    """The model, whose inputs have the shapes that are run; a test without it is skipped."""
    onnx = pytest.importorskip("onnx")
    spec = PathFinder.find_spec(client.package)
    path = spec and spec.origin and Path(spec.origin).parent / client.file
    if not path or not path.exists():
        pytest.skip(f"{client.package} is not installed, or has no {client.file}")
    model = onnx.load(path)
    shapes = client.shapes | {name: x.shape for name, x in client.values.items()}
    for each in model.graph.input:
        dimensions = each.type.tensor_type.shape.dim
        for dimension, length in zip(dimensions, shapes.get(each.name, ()), strict=False):
            dimension.dim_value = length
    return model.SerializeToString()


def run_both(content, provider, client):
    given = [PRECISE if provider == "openvino-f32" else provider]
    with ort.Session(content) as session:
        feed = random_feed(session, dict(client.values), client.shapes, 1)
        wanted = session.run(feed)
    with ort.Session(content, providers=given) as session:
        found = session.run(feed)
    for ours, theirs in zip(found, wanted, strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        apart = np.abs(ours.astype("f8") - theirs.astype("f8"))
        assert np.max(apart) <= client.on[provider] * (np.max(np.abs(theirs)) or 1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of onnx.reference
@pytest.mark.parametrize(
    ("client", "provider"),
    [(client, provider) for client in CLIENTS for provider in client.on],
    ids=lambda each: each if isinstance(each, str) else each.file.rpartition("/")[2],
)
def test_a_model_of_a_client_runs_without_onnxruntime(client, provider):
    """About 3 s each."""
    if provider.partition("-")[0] not in [
        *(each.name for each in ort.installed_eps()),
        "reference",
    ]:
        pytest.skip("the provider is not installed")
    run_both(content_of(client), provider, client)
