# SPDX-License-Identifier: MIT
"""Run the models that clients of onnxruntime bring on execution providers, without onnxruntime.

    pip install --no-deps magika silero-vad rapidocr-onnxruntime nudenet ddddocr
    python tools/run_client_models.py nxrt ggml openvino openvino-f32 qnn reference nxrt+reference

The models lie in the packages, none of which is imported. The core runs each on a provider alone,
or on several with + between them, in a process of its own, and the outputs are compared with
those of the installed onnxruntime on the same inputs. The table says by how much the outputs
differ at most, as a share of the largest element; else why there are none.
"""

import argparse
import sys
import tempfile
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

from ortcffi.kernels import child

SECONDS = 120  # for one model
PRECISE = {
    "openvino-f32": (
        "openvino",
        {"load_config": '{"CPU": {"INFERENCE_PRECISION_HINT": "f32"}}'},
    )
}


class Client(NamedTuple):
    """A model in a package.

    Attributes
    ----------
    package, file
        The module of the package, and the model's file in its folder.
    shapes
        Of inputs whose shapes the model leaves open.
    values
        Of inputs that are no random numbers: below what they are, or what one is without a shape.
    """

    package: str
    file: str
    shapes: dict[str, tuple[int, ...]] = {}  # noqa: RUF012  # never changed
    values: dict[str, int] = {}  # noqa: RUF012


SPEECH = {"input": (1, 512), "state": (2, 1, 128)}
RAPID, DDDD = "rapidocr_onnxruntime", "ddddocr"
CLIENTS = {
    "magika": Client(
        "magika", "models/standard_v3_3/model.onnx", {"bytes": (1, 2048)}, {"bytes": 256}
    ),
    "silero, 16 kHz": Client("silero_vad", "data/silero_vad_16k_op15.onnx", SPEECH, {"sr": 16000}),
    "silero, for OpenVINO": Client("silero_vad", "data/silero_vad_openvino_16k.onnx"),
    "rapidocr, finds": Client(RAPID, "models/ch_PP-OCRv4_det_infer.onnx", {"x": (1, 3, 320, 320)}),
    "rapidocr, reads": Client(RAPID, "models/ch_PP-OCRv4_rec_infer.onnx", {"x": (1, 3, 48, 320)}),
    "rapidocr, turns": Client(
        RAPID, "models/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": (1, 3, 48, 192)}
    ),
    "nudenet": Client("nudenet", "320n.onnx", {"images": (1, 3, 320, 320)}),
    "ddddocr, reads": Client(DDDD, "common.onnx", {"input1": (1, 1, 64, 192)}),
    "ddddocr, read before": Client(DDDD, "common_old.onnx", {"input1": (1, 1, 64, 192)}),
    "ddddocr, finds": Client(DDDD, "common_det.onnx"),
}


def path_of(client: Client) -> Path | None:
    """The file of a model; None if the package is not installed."""
    spec = PathFinder.find_spec(client.package)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / client.file
    return path if path.exists() else None


# --- one model, in the child ----------------------------------------------------------------------


def content_of(client: Client) -> bytes:
    """The model, whose inputs have the shapes that are run."""
    import onnx

    model = onnx.load(path_of(client))
    for each in model.graph.input:
        dimensions = each.type.tensor_type.shape.dim
        for dimension, length in zip(dimensions, client.shapes.get(each.name, ()), strict=False):
            dimension.dim_value = length
    return model.SerializeToString()


def run_model(client: Client, providers: list[str], folder: Path) -> dict[str, Any]:
    """Run a model, and write its outputs or compare them with those that were written."""
    import time

    import numpy as np

    import ortcffi as ort
    from ortcffi.testing.random_inputs import random_feed

    named: Any = [PRECISE.get(each, each) for each in providers]
    session = ort.Session(content_of(client), providers=named or None)
    rng = np.random.default_rng(0)
    values = {
        name: rng.integers(value, size=client.shapes[name], dtype=np.int32)
        if name in client.shapes
        else np.array(value, np.int64)
        for name, value in client.values.items()
    }
    feed = random_feed(session, values, client.shapes, 1)
    results = session.run(feed)
    begin = time.perf_counter()
    session.run(feed)
    seconds = time.perf_counter() - begin
    if not providers:
        np.savez(folder / "outputs", *results)
        return {"seconds": seconds}
    expected = np.load(folder / "outputs.npz")
    return {"seconds": seconds, "differs": difference(results, [*expected.values()])}


def difference(results: list[Any], expected: list[Any]) -> float:
    """By how much outputs differ at most, as a share of the largest element."""
    import numpy as np

    worst = 0.0
    for result, wanted in zip(results, expected, strict=True):
        if (result.shape, result.dtype) != (wanted.shape, wanted.dtype):
            raise TypeError(f"{result.dtype}{result.shape} is not {wanted.dtype}{wanted.shape}")
        apart = np.abs(result.astype("f8") - wanted.astype("f8"))
        worst = max(worst, float(np.max(apart) / (np.max(np.abs(wanted)) or 1)))
    return worst


def answer(name: str, providers: str, folder: str) -> None:
    """Tell what became of a model."""
    try:
        found = run_model(CLIENTS[name], providers.split("+") if providers else [], Path(folder))
    except Exception as error:  # noqa: BLE001  # whatever the provider says
        found = {"problem": f"{type(error).__name__}: {error}"}
    child.tell(found=found, done=True)


# --- all of them ----------------------------------------------------------------------------------


def asked(name: str, providers: str, folder: str) -> dict[str, Any]:
    """What became of a model on providers; without any, on the installed onnxruntime."""
    where = "run_client_models", "answer", name, providers, folder
    facts, problem, _ = child.ask(*where, seconds=SECONDS)
    return {"problem": problem} if problem else facts[-1]["found"]


def cell(found: dict[str, Any]) -> str:
    milliseconds = f"{found.get('seconds', 0) * 1e3:.3g} ms"
    if "problem" in found:
        return "no"
    return f"{found['differs']:.1e}, {milliseconds}" if "differs" in found else milliseconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("providers", nargs="*", help="names, with + between those of one session")
    parser.add_argument("--match", default="", help="only models whose names have this")
    given = parser.parse_args()
    columns = ["", *given.providers]
    say = sys.stdout.write
    say(f"| model | onnxruntime | {' | '.join(given.providers)} |\n|---{'|---' * len(columns)}|\n")
    problems = []
    for name, client in CLIENTS.items():
        if given.match in name and path_of(client) is not None:
            with tempfile.TemporaryDirectory() as folder:
                found = {each: asked(name, each, folder) for each in columns}
            say(f"| {name} | {' | '.join(map(cell, found.values()))} |\n")
            problems += [
                f"{name}, {each or 'onnxruntime'}: {made['problem']}\n"
                for each, made in found.items()
                if "problem" in made
            ]
            sys.stdout.flush()
    say("".join(["\n", *problems]))


if __name__ == "__main__":
    main()
