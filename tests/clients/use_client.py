# SPDX-License-Identifier: MIT
"""Uses a client of the official package: use_client.py FACE CLIENT RESULT.

FACE is what the client gets for the package onnxruntime: ``official``, ``drop-in``, or ``Session``,
where ``run`` is that of `ortcffi.Session` and all else the drop-in's. RESULT is the file for a
pickle of what the client found and of the outputs of each run. All models are in the clients'
wheels, or are made by scikit-learn here; nothing is downloaded.
"""

import importlib
import pickle
import sys
import warnings
from typing import Any

import numpy as np

outputs: list[list[Any]] = []


def put_in_place(face: str) -> Any:
    """The package onnxruntime that the client gets, which notes the outputs of each run."""
    if face == "official":
        package: Any = importlib.import_module("onnxruntime")
    else:
        import ortcffi as ort
        from ortcffi import compat

        compat.install()
        package = compat

    class Session(package.InferenceSession):  # type: ignore[misc, name-defined]
        """Notes its outputs."""

        def __init__(self, model: Any, *arguments: Any, **named: Any) -> None:
            super().__init__(model, *arguments, **named)
            self.names = [each.name for each in self.get_outputs()]
            self.ours = ort.Session(model) if face == "Session" else None

        def run(self, names: Any, feed: Any, options: Any = None) -> Any:
            if self.ours is None:
                found = super().run(names, feed, options)
            else:
                found = list(self.ours.run(feed, names or self.names))
            outputs.append(found)
            return found

    package.InferenceSession = Session
    return package


# --- pictures, without files ----------------------------------------------------------------------


def text(words: str, size: int) -> Any:
    """A picture of some words, black on white."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(size)
    left, top, right, bottom = font.getbbox(words)
    picture = Image.new("RGB", (int(right - left) + 40, int(bottom - top) + 40), "white")
    ImageDraw.Draw(picture).text((20 - left, 20 - top), words, "black", font)
    return picture


def png(picture: Any) -> bytes:
    import io

    file = io.BytesIO()
    picture.save(file, "png")
    return file.getvalue()


# --- a sound --------------------------------------------------------------------------------------


def sound() -> Any:
    """Three seconds of a tone that glides, at 16 kHz."""
    time = np.arange(48000) / 16000
    return (0.3 * np.sin(2 * np.pi * (200 + 40 * np.sin(time)) * time)).astype(np.float32)


# --- the clients ----------------------------------------------------------------------------------


def magika() -> Any:
    from magika import Magika

    files = {
        "python": b"import os\n\n\ndef names(path):\n    return sorted(os.listdir(path))\n" * 4,
        "json": b'{"a": [1, 2, {"b": null}], "c": "text"}\n' * 5,
        "html": b"<!doctype html><html><body><p>Hello</p></body></html>\n" * 5,
        "c": b'#include <stdio.h>\nint main(void) {\n  return printf("a\\n");\n}\n' * 4,
        "png": png(text("a", 20)),
    }
    found = Magika()
    return {
        name: str(found.identify_bytes(content).output.label) for name, content in files.items()
    }


def rapidocr() -> Any:
    from rapidocr_onnxruntime import RapidOCR

    read, _ = RapidOCR()(np.asarray(text("Hello World 2026", 48)))
    return [words for _, words, _ in read]


def ddddocr() -> Any:
    import ddddocr as package

    picture = png(text("8a3k", 40))
    reader = package.DdddOcr(show_ad=False)
    boxes = package.DdddOcr(det=True, ocr=False, show_ad=False).detection(picture)
    return reader.classification(picture), boxes


def nudenet() -> Any:
    from nudenet import NudeDetector

    rows, columns = np.mgrid[:240, :320]
    picture = np.stack([rows, columns, rows + columns], -1).astype(np.uint8)
    detector = NudeDetector()
    return detector.detect(picture), detector.detect_batch([picture, picture[::-1].copy()], 2)


def swift_f0() -> Any:
    from swift_f0 import SwiftF0

    found = SwiftF0().detect(sound(), 16000)
    return np.round(found.pitch_hz, 1).tolist()


def faster_whisper() -> Any:
    from faster_whisper.vad import get_speech_timestamps, get_vad_model

    voiced = get_vad_model()(sound()[: 512 * 90])
    return voiced.round(4).tolist(), get_speech_timestamps(sound())


def piper() -> Any:
    from piper.tashkeel import TashkeelDiacritizer

    return TashkeelDiacritizer()("مرحبا بالعالم")


def estimators() -> dict[str, Any]:
    """Those of scikit-learn that sklearn-onnx converts, as they are by default, by their names."""
    from skl2onnx import supported_converters
    from sklearn.utils import all_estimators

    known = {name.removeprefix("Sklearn") for name in supported_converters()}
    kinds = all_estimators(type_filter=["classifier", "regressor", "transformer", "cluster"])
    return {name: kind for name, kind in kinds if name in known}


def sklearn() -> Any:
    """Models converted from all estimators that take a table of numbers."""
    import onnxruntime
    from skl2onnx import to_onnx

    x = np.random.default_rng(0).random((60, 4)).astype(np.float32) + np.float32(0.1)
    y = np.arange(60) % 3
    found: dict[str, list[str]] = {}
    for name, kind in estimators().items():
        try:
            model = kind()
            if "random_state" in model.get_params():
                model.set_params(random_state=0)
            model.fit(x, y)
            converted = to_onnx(model, x[:1]).SerializeToString()
        except Exception:  # noqa: BLE001  # wants other data, or arguments
            continue
        try:
            session = onnxruntime.InferenceSession(converted, providers=["CPUExecutionProvider"])
            named = [each.name for each in session.get_outputs()]
            session.run(None, {session.get_inputs()[0].name: x[:7]})
            session.run(named[:1], {session.get_inputs()[0].name: x[:1]})
            found[name] = named
        except Exception as error:  # noqa: BLE001  # wrong models: each face is to say the same
            found[name] = [type(error).__name__]
    return found


def skl2onnx() -> Any:
    """What sklearn-onnx itself does with the package: comparing with scikit-learn, and tracing."""
    import onnxruntime
    from skl2onnx import to_onnx
    from skl2onnx.helpers.onnx_helper import (
        enumerate_model_node_outputs,
        select_model_inputs_outputs,
    )
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x = np.random.default_rng(1).random((40, 3)).astype(np.float32)
    y = np.array(["no", "yes"])[(x.sum(axis=1) > 1.5).astype(int)]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y)
    converted = to_onnx(model, x[:1], options={"zipmap": True})
    session = onnxruntime.InferenceSession(converted.SerializeToString())
    label, shares = session.run(None, {"X": x})
    assert label.tolist() == model.predict(x).tolist()
    expected = model.predict_proba(x)
    given = np.array([[each["no"], each["yes"]] for each in shares])
    assert np.abs(given - expected).max() < 1e-5
    names = list(enumerate_model_node_outputs(converted))
    for name in names:
        part = select_model_inputs_outputs(converted, name)
        onnxruntime.InferenceSession(part.SerializeToString()).run(None, {"X": x[:2]})
    return names


CLIENTS = {
    each.__name__: each
    for each in (
        *(magika, rapidocr, ddddocr, nudenet, swift_f0, faster_whisper, piper),
        *(sklearn, skl2onnx),
    )
}


def main() -> None:
    face, client, path = sys.argv[1:]
    warnings.simplefilter("ignore")  # the clients'
    put_in_place(face)
    found = CLIENTS[client]()
    with open(path, "wb") as file:
        pickle.dump((found, outputs), file)


if __name__ == "__main__":
    main()
