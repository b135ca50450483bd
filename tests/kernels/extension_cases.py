# SPDX-License-Identifier: MIT
"""Calls of ops of onnxruntime-extensions and onnx-extended that need no download."""

import io
import json
import wave
import zlib
from struct import pack
from typing import Any

import numpy as np


def strings(*texts: str, shape: Any = -1) -> np.ndarray:
    return np.array(texts, object).reshape(shape)


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def floats(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


def png() -> np.ndarray:
    """A picture of 2 by 2 pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        body = name + data
        return pack(">I", len(data)) + body + pack(">I", zlib.crc32(body))

    head = pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + bytes([10 * row, 20, 30] * 2) for row in range(2)))
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return np.frombuffer(b"\x89PNG\r\n\x1a\n" + parts, np.uint8)


def wav() -> np.ndarray:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(np.arange(64, dtype="<i2").tobytes())
    return np.frombuffer(buffer.getvalue(), np.uint8)


TEXT = strings("Hello World", "é x", "")
VOCABULARY = json.dumps({"<|endoftext|>": 0, "l": 1, "o": 2, "w": 3, "lo": 4, "low": 5})
MERGES = "#version: 0.2\nl o\nlo w"
WORDS = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nworld\n##s\na"
BPE = {"vocab": VOCABULARY, "merges": MERGES}
SENTENCE = "This is one. And this another."

OF_EXTENSIONS: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("StringUpper", [TEXT], {}),
    ("StringLower", [TEXT], {}),
    ("StringLength", [TEXT], {}),
    ("StringStrip", [strings(" a ", "b")], {}),
    ("StringConcat", [TEXT, TEXT], {}),
    ("StringEqual", [TEXT, strings("Hello World", "", "")], {}),
    ("StringJoin", [strings("a", "b"), strings("-", shape=(1,)), ints(0)], {}),
    ("StringSplit", [strings("a,b", "c"), strings(","), np.array([True])], {}),
    ("StringRegexReplace", [TEXT, strings("(o)"), strings(r"<\1>")], {}),
    ("StringRegexReplace", [TEXT, strings("o"), strings("0")], {"global_replace": 0}),
    ("StringECMARegexReplace", [TEXT, strings("(o)"), strings("<$1>")], {}),
    ("StringECMARegexReplace", [TEXT, strings("HELLO"), strings("")], {"ignore_case": 1}),
    ("StringRegexSplitWithOffsets", [strings("a b"), strings(r"(\s)"), strings(r"\s")], {}),
    ("StringECMARegexSplitWithOffsets", [strings("a b"), strings(r"(\s)"), strings(r"\s")], {}),
    ("StringToHashBucket", [TEXT, ints(7)], {}),
    ("StringToHashBucketFast", [TEXT, ints(7)], {}),
    ("StringMapping", [strings("a", "z")], {"map": "a\tb\nc\td"}),
    ("StringToVector", [strings("a", "z")], {"map": "a\t1\nb\t3", "unmapping_value": "7"}),
    ("VectorToString", [ints(1, 9)], {"map": "a\t1\nb\t2", "unk": "?"}),
    ("MaskedFill", [strings("a", "b"), np.array([True, False])], {}),
    ("RaggedTensorToSparse", [ints(0, 2, 3)], {}),
    ("RaggedTensorToDense", [ints(0, 2, 3), ints(1, 2, 3), ints(0), ints(0, 2, 3)], {}),
    ("NegPos", [floats(1, -2, 3)], {}),
    ("Inverse", [np.array([[2, 1], [0, 4]], np.float32)], {}),
    ("SegmentSum", [floats(1, 2, 3), ints(0, 0, 1)], {}),
    ("SegmentExtraction", [ints(0, 1, 1, 0, 2)], {}),
    ("MergeSignalSegments", [ints(0, 5, 6, 9).reshape(2, 2), ints(3)], {}),
    ("GPT2Tokenizer", [strings("low lo")], BPE),
    ("RobertaTokenizer", [strings("low")], BPE),
    ("CLIPTokenizer", [strings("low")], BPE),
    (
        "BpeDecoder",
        [ints(5, 4)],
        {"id_vocab": "\n".join(json.loads(VOCABULARY)), "byte_decoder": "108\t108"},
    ),
    ("TrieTokenizer", [strings("ab")], {"vocab": "1 'a' 1\n2 'b' 1\n3 'ab' 2\n"}),
    ("TrieDetokenizer", [ints(1, 2).reshape(1, 2)], {"vocab": "1 'a' 1\n2 'b' 1\n3 'ab' 2\n"}),
    ("BasicTokenizer", [strings("Hello, World")], {}),
    ("BertTokenizer", [strings("hello worlds")], {"vocab_file": WORDS}),
    ("HfBertTokenizer", [strings("hello", "world")], {"vocab_file": WORDS}),
    ("BertTokenizerDecoder", [ints(5, 6), ints(0, 2).reshape(1, 2)], {"vocab_file": WORDS}),
    ("AudioDecoder", [wav().reshape(1, -1), strings("wav")], {}),
    ("DecodeImage", [png()], {}),
    ("EncodeImage", [np.zeros((2, 2, 3), np.uint8)], {"format": "png"}),
    (
        "DrawBoundingBoxes",
        [np.zeros((8, 8, 3), np.uint8), np.array([[1, 1, 4, 4, 0.9, 0]], np.float32)],
        {"mode": "XYXY"},
    ),
    (
        "WordpieceTokenizer",
        [strings("hello worlds"), ints(0)],
        {"vocab": WORDS, "unknown_token": "[UNK]", "suffix_indicator": "##"},
    ),
    # These fail, alike on both sides.
    ("StringJoin", [strings("a"), strings("-", "+"), ints(0)], {}),
    ("BlingFireSentenceBreaker", [strings(SENTENCE)], {}),
]
MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)
SPARSE = np.array([[0, 2, 0], [0, 0, 5]], np.float32)
TREE = {
    "aggregate_function": "SUM",
    "n_targets": 1,
    "nodes_falsenodeids": [2, 0, 0],
    "nodes_featureids": [1, 0, 0],
    "nodes_hitrates": [1.0, 1.0, 1.0],
    "nodes_missing_value_tracks_true": [0, 0, 0],
    "nodes_modes": "BRANCH_LEQ,LEAF,LEAF",
    "nodes_nodeids": [0, 1, 2],
    "nodes_treeids": [0, 0, 0],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_values": [2.5, 0.0, 0.0],
    "post_transform": "NONE",
    "target_ids": [0, 0],
    "target_nodeids": [1, 2],
    "target_treeids": [0, 0],
    "target_weights": [10.0, 20.0],
}
CLASSES = {
    "classlabels_int64s": [0, 1],
    "class_ids": [0, 0],
    "class_nodeids": [1, 2],
    "class_treeids": [0, 0],
    "class_weights": [0.0, 1.0],
    **{name: each for name, each in TREE.items() if name.startswith(("nodes", "post"))},
}
WORDS = {
    "max_gram_length": 1,
    "max_skip_count": 0,
    "min_gram_length": 1,
    "mode": "TF",
    "ngram_counts": [0],
    "ngram_indexes": [0, 1, 2],
    "pool_int64s": [4, 5, 6],
}
SUPPORT = {
    "coefficients": [1.0, -1.0],
    "kernel_params": [1.0, 0.0, 3.0],
    "kernel_type": "LINEAR",
    "n_supports": 2,
    "post_transform": "NONE",
    "rho": [0.5],
    "support_vectors": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
}
# The library of each op beside its name, its inputs and its attributes.
CASES: list[tuple[str, str, list[Any], dict[str, Any]]] = [
    *(("extensions", *case) for case in OF_EXTENSIONS),
    ("optim", "DenseToSparse", [SPARSE], {}),
    ("optim", "SVMRegressor", [MATRIX], SUPPORT),
    ("optim", "TfIdfVectorizer", [ints(4, 6, 4, 7)], WORDS),
    ("optim", "TreeEnsembleClassifier", [MATRIX], CLASSES),
    ("optim", "TreeEnsembleRegressor", [MATRIX], TREE),
    ("optim", "TreeEnsembleRegressor", [MATRIX], {}),
    ("tutorial", "MyCustomOp", [floats(1, 2), floats(3, 4)], {}),
    ("tutorial", "MyCustomOpWithAttributes", [np.ones(2), np.ones(2)], {}),
    ("tutorial", "CustomGemmFloat", [MATRIX, MATRIX], {"transB": 1}),
]


def assert_same(ours, theirs):
    """Fail unless a kernel and a session gave the same arrays, or both an exception."""
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        assert isinstance(ours, Exception), theirs
        assert isinstance(theirs, Exception), ours
        return
    for mine, other in zip(ours, theirs, strict=True):
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape)
        np.testing.assert_array_equal(mine, other)
