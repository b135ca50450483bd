# SPDX-License-Identifier: MIT
"""Tensors over the bytes of a buffer."""

import numpy as np
import pytest

from ortcffi import ElementType, Value


def test_a_tensor_shares_the_memory_of_a_buffer(api):
    memory = bytearray(np.arange(4, dtype=np.float32).tobytes())
    value = Value.from_buffer(memory, (2, 2), "f4", api=api)
    value.numpy()[0, 0] = 7
    assert np.frombuffer(memory, np.float32).tolist() == [7, 1, 2, 3]


def test_a_tensor_over_bytes_is_read_only(api):
    value = Value.from_buffer(b"\1\2", 2, "u1", api=api)
    assert value.readonly
    assert value.to_python() == [1, 2]


def test_a_buffer_keeps_its_memory_while_the_value_lives(api):
    memory = bytearray(8)
    value = Value.from_buffer(memory, 2, "f4", api=api)
    with pytest.raises(BufferError):
        memory.append(0)
    value.close()
    memory.append(0)


def test_a_copy_does_not_share_memory(api):
    memory = bytearray(4)
    value = Value.from_buffer(memory, 4, "u1", api=api, copy=True)
    memory[0] = 1
    assert value.to_python() == [0, 0, 0, 0]


def test_packed_elements_and_none_are_taken_as_they_are(api):
    assert Value.from_buffer(b"\x21\x03", 3, ElementType.UINT4, api=api).nbytes == 2
    assert Value.from_buffer(b"", (2, 0), "f4", api=api).shape == (2, 0)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        *(((bytes(n), 2, "f4"), ValueError, "buffer must have 8 bytes") for n in (0, 7, 9)),
        ((b"", 0, str), TypeError, "STRING"),
        ((5, 1, "u1"), TypeError, "buffer must be bytes-like, not int"),
    ],
)
def test_what_has_not_the_bytes_of_a_tensor_is_refused(api, arguments, error, says):
    with pytest.raises(error, match=says):
        Value.from_buffer(*arguments, api=api)


def test_a_buffer_that_is_not_aligned_is_refused_or_copied(api):
    memory = memoryview(bytearray(9))[1:]
    with pytest.raises(ValueError, match="not aligned"):
        Value.from_buffer(memory, 2, "f4", api=api)
    assert Value.from_buffer(memory, 2, "f4", api=api, copy=None).to_python() == [0, 0]
