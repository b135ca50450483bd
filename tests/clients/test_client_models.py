# SPDX-License-Identifier: MIT
"""Models of clients on execution providers, on the core, beside the installed onnxruntime.

They need the extras `clients` and `eps`, and silero-vad, which `pip install --no-deps` installs
without torch. They run only where this folder is named.
"""

import pytest
import run_client_models
from run_client_models import CLIENTS, asked, path_of

import ortcffi as ort

# By how much outputs may differ, as a share of the largest element. OpenVINO computes in bfloat16
# where the CPU can.
RUN = {
    "openvino": dict.fromkeys(
        ["silero, 16 kHz", "silero, for OpenVINO", "rapidocr, turns", "nudenet", "ddddocr, reads"],
        2e-2,
    ),
    "openvino-f32": dict.fromkeys(
        [name for name in CLIENTS if name != "ddddocr, read before"],  # has an op of com.microsoft
        5e-3,
    ),
    "reference": {"silero, 16 kHz": 1e-4, "silero, for OpenVINO": 1e-4, "nudenet": 1e-4},
}


@pytest.mark.parametrize(
    ("providers", "name"), [(each, name) for each, names in RUN.items() for name in names]
)
def test_a_model_of_a_client_runs_without_onnxruntime(tmp_path, providers, name):
    """About 3 s each."""
    installed = [*(each.name for each in ort.installed_eps()), "reference"]
    if path_of(CLIENTS[name]) is None or providers.partition("-")[0] not in installed:
        pytest.skip("the client or the provider is not installed")
    assert "problem" not in asked(name, "", str(tmp_path))
    found = asked(name, providers, str(tmp_path))
    assert found.get("differs", found) <= RUN[providers][name]


def test_outputs_of_other_shapes_are_refused():
    import numpy as np

    one = np.ones(2, np.float32)
    assert run_client_models.difference([one], [one * 2]) == 0.5
    with pytest.raises(TypeError, match=r"is not float32\(1,\)"):
        run_client_models.difference([one], [one[:1]])
