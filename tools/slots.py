# SPDX-License-Identifier: MIT
"""Parses ``core/include``: the lists of slots, and the groups and declarations of headers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

INCLUDE = Path(__file__).resolve().parents[1] / "core" / "include"

_FLAGS = re.MULTILINE | re.DOTALL
_ROW = re.compile(
    r"^ORT_SLOT_(?P<kind>\w+)\((?P<index>\d+), (?P<since>\d+), (?P<topic>\w+), (?P<who>\w+), "
    r"(?:(?P<returns>[^,()]+), )?(?P<name>\w+)"
    r"(?:,\s+\((?P<parameters>[^()]*(?:\([^()]*\)[^()]*)*)\))?\)$",
    re.MULTILINE,
)
_PARAMETER = re.compile(  # a pointer to a function has its name within parentheses
    r"(ORT_OPTIONAL )?[^,()]+?(?:\(\* ?(\w+)\)\([^()]*\)|(\w+)(?:\[\])?)(?:, |$)"
)
_COMMENT = re.compile(r"^/\*.*?\*/$", _FLAGS)
_TAG = re.compile(r"^@(?:param(?:\[([a-z,]+)\])? (\w+)|return) ", re.MULTILINE)
_GROUP = re.compile(r"^/\*\* @name (.*?) \* @\{ \*/$(.*?)^/\*\* @\} \*/$", _FLAGS)
_DECLARATION = re.compile(
    r'^((?:#define \w+ "\w+"\n\n)?)'  # the name that a function is found by
    r"(/\*\*(?:(?!\*/).)*\*/)\n"
    r"(#define (?:[^\n]*\\\n)*[^\n]*|[^\n{;]*\{.*?^\}[^\n]*;|[^;{#]*;)$",
    _FLAGS,
)
_ANSWERS_STATUS = re.compile(r"ORT_API_STATUS\((\w+), (.*?)\);", re.DOTALL)
_KINDS = [  # of declaration: the directive of Sphinx, and how to find what it declares
    ("macro", re.compile(r"#define (\w+(?:\([^)]*\))?)")),
    ("enum", re.compile(r"(?:typedef )?enum (\w+) \{")),
    ("struct", re.compile(r"(?:typedef )?struct (\w+) \{")),
    ("struct", re.compile(r"ORT_RUNTIME_CLASS\((\w+)\);")),
    ("function", re.compile(r"ORT_EXPORT (.*?) NO_EXCEPTION;", re.DOTALL)),
    ("type", re.compile(r"typedef [^(]*\((?:ORT_API_CALL)?\s*\* ?(\w+)\)\(")),
    ("type", re.compile(r"typedef .*?(\w+);", re.DOTALL)),
]


class Slot(NamedTuple):
    """A row of a list, its comment, and the comments above it about the rows that follow."""

    index: int
    since: int
    topic: str
    who: str
    name: str
    signature: str
    arguments: list[str]
    optional: frozenset[str]  # of the arguments
    comment: str
    above: str


class Declaration(NamedTuple):
    """A documented part of a header: its kind in Sphinx's words, its comment, its code."""

    kind: str
    name: str
    comment: str
    code: str


class Group(NamedTuple):
    """A group of a header; `code` is its whole text, with the comments."""

    title: str
    about: str
    code: str
    declarations: list[Declaration]


class Tag(NamedTuple):
    """A parameter, or what is returned (then the name is empty)."""

    name: str
    way: str
    text: str


def text_of(comment: str) -> str:
    """The text of a comment, without its stars."""
    inner = comment.removeprefix("/**").removeprefix("/*").removesuffix("*/")
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in inner.split("\n")).strip()


def head_of(file: str) -> str:
    """The comment at the top of a file, which describes the file."""
    found = next(c for c in _COMMENT.findall(_read(file)) if "SPDX" not in c)
    return re.sub(r"\A@file \S+\n", "", text_of(found))


def rules_of_rows() -> list[tuple[str, str]]:
    """The rules for all rows of all lists: a term and its text each."""
    text = next(c for c in _COMMENT.findall(_read("ort_slots.def")) if "What holds for every" in c)
    parts = re.split(r"^ {2}(\w+) {2,}", text_of(text), flags=re.MULTILINE)
    return [
        (term, " ".join(said.split())) for term, said in zip(*[iter(parts[1:])] * 2, strict=True)
    ]


def slots_of(file: str) -> list[Slot]:
    """The rows of a list, in order; raises `ValueError` if one cannot be parsed."""
    text = _read(file)
    slots, end = [], text.index('#include "ort_kinds.def"')
    for row in _ROW.finditer(text):
        kind, index, since, topic, who, returns, name, declared = row.groups()
        returns = {"STATUS": "OrtStatus*", "VOID": "void"}.get(kind, returns)
        parameters = " ".join((declared or "").split())
        signature = f"{returns} {name}({parameters.replace('ORT_OPTIONAL ', '') or 'void'})"
        *above, comment = (text_of(found) for found in _COMMENT.findall(text, end, row.start()))
        given = [(f or name, may) for may, f, name in _PARAMETER.findall(parameters)]
        optional = frozenset(argument for argument, may_be_null in given if may_be_null)
        rest = signature, [argument for argument, _ in given], optional, comment, "\n\n".join(above)
        slots.append(Slot(int(index), int(since), topic, who, name, *rest))
        end = row.end()
    started = len(re.findall(r"^ORT_SLOT_\w+\(\d", text, re.MULTILINE))
    if [slot.index for slot in slots] != list(range(started)):
        raise ValueError(f"{file}: {len(slots)} of {started} rows were understood")
    return slots


def groups_of(header: str) -> Iterator[Group]:
    """The groups of a header, from ``@name`` to ``@}``."""
    for head, code in _GROUP.findall(_read(header)):
        title, _, about = text_of("/** " + head).partition("\n")
        found = [_declaration(*match) for match in _DECLARATION.findall(code)]
        from_afar = "\n\n".join(
            filter(lambda text: "@def" in text, map(text_of, _COMMENT.findall(code)))
        )
        macros = re.findall(r"^@def (\w+)\n(.*?)(?=\n\n@def|\Z)", from_afar, _FLAGS)
        found = [Declaration("macro", name, said, "") for name, said in macros] + found
        yield Group(title, about.strip(), code.strip(), found)


def split_tags(comment: str) -> tuple[str, list[Tag]]:
    """A comment's text, and its tags."""
    tags = list(_TAG.finditer(comment))
    ends = [tag.start() for tag in tags] + [len(comment)]
    said = (comment[tag.end() : end] for tag, end in zip(tags, ends[1:], strict=True))
    return comment[: ends[0]].strip(), [
        Tag(tag[2] or "", tag[1] or "in", " ".join(text.split()))
        for tag, text in zip(tags, said, strict=True)
    ]


def _read(file: str) -> str:
    return (INCLUDE / file).read_text(encoding="utf-8")


def _declaration(found_by: str, comment: str, code: str) -> Declaration:
    plain = _ANSWERS_STATUS.sub(r"OrtStatus* \1(\2) NO_EXCEPTION;", code)
    for kind, pattern in _KINDS:
        if found := pattern.match(plain):
            name = " ".join(found[1].replace("ORT_API_CALL", "").split())
            if code.startswith("ORT_RUNTIME_CLASS"):
                name, code = f"Ort{name}", ""
            return Declaration(kind, name, text_of(comment), found_by + _expanded(code))
    raise ValueError(f"what does this declare?\n{code}")


def _expanded(code: str) -> str:
    """Puts the rows of a short list, such as the error codes, in the place that includes it."""
    found = re.search(r'#define (\w+)\((.*?)\) (.*)\n#include "(\w+\.def)"', code)
    if not found:
        return code
    macro, names, form, file = found.groups()
    lines = []
    for row in re.findall(rf"^{macro}\((.*)\)$", _read(file), re.MULTILINE):
        values = dict(zip(names.split(", "), row.split(", "), strict=True))
        words = re.split(r"(\w+)", form)
        lines.append("  " + "".join(values.get(word, word) for word in words).replace("##", ""))
    return code.replace(found[0], "\n".join(lines))
