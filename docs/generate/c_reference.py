# SPDX-License-Identifier: MIT
"""A Sphinx extension: the reference of the C API, written from the comments in ``core/include``.

The slots are rows of macros, which tools that read C cannot see into. So their lists are read as
what they are, lists: one page per topic, for each row its signature, since when it is there, who
answers it, and its comment. The types come from the headers, group by group.

The pages go to ``docs/c``, which is left to this module alone.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from slots import (
    Declaration,
    Group,
    Slot,
    groups_of,
    head_of,
    rules_of_rows,
    slots_of,
    split_tags,
)
from sphinx.application import Sphinx

PAGES = Path(__file__).resolve().parents[1] / "c"
MAIN = "ort_slots.def"
TABLES = {  # list of slots: the table
    "ort_model_editor_slots.def": "OrtModelEditorApi",
    "ort_compile_slots.def": "OrtCompileApi",
    "ort_interop_slots.def": "OrtInteropApi",
    "ort_ep_slots.def": "OrtEpApi",
    "ort_model_package_slots.def": "OrtModelPackageApi",
}
MAIN_HEADER = "onnxruntime_c_api.h"
HEADERS = {
    MAIN_HEADER: "Types",
    "onnxruntime_ep_c_api.h": "Types of providers",
    "ortcore.h": "Hosts and traces",
}
WHO = {
    "HOST": "the core answers",
    "TABLE": "the core answers with another table",
    "ENGINE": "needs an engine",
    "NOT_YET": "not yet in the core",
}
TITLES = {  # of the topics whose own name says too little
    "arena": "Arenas",
    "binding": "I/O binding",
    "custom_ops": "Custom operators",
    "env": "Environments and logging",
    "ep": "Plug-in execution providers",
    "graph": "Graphs",
    "memory": "Memory and allocators",
    "model": "Model metadata",
    "options": "Session, run and thread options",
    "providers": "Built-in execution providers",
    "session": "Sessions",
    "sparse": "Sparse tensors",
    "status": "Statuses and key-value pairs",
    "table": "The table and further tables",
    "values": "Values and types",
}
CALLS = """\
In C ``api->Name(...)``, in Python ``lib.Name(api.pointer, ...)``. :doc:`index` tells what holds for
every function.
"""
INTRODUCTION = f"What ``{MAIN_HEADER}`` declares beside the table.\n"
ORDER = """\
A client finds a function by its place. A library of API version *n* has the functions up to those
since *n*.
"""


class Writer:
    """Turns comments into reStructuredText, with links to all that has a place of its own."""

    def __init__(self, functions: Iterable[str], types: Iterable[str]) -> None:
        self.roles = dict.fromkeys(types, "type") | dict.fromkeys(functions, "func")

    def prose(self, text: str) -> str:
        """Escape a text, and link the names in it."""

        def written(found: re.Match[str]) -> str:
            literal, name, mark = found.groups()
            if literal:
                return f"``{literal}``"
            if mark:
                return f"\\{mark}"
            role = self.roles.get(name.removesuffix("()"))
            if role:
                return rf":c:{role}:`{name.removesuffix('()')}`\ "
            return str(name.replace("_", r"\_"))

        return re.sub(r"`([^`]+)`|\b([A-Za-z]\w*(?:\(\))?)|([\\*`|_])", written, text)

    def body(self, text: str) -> str:
        """Get a comment's text: a block that is moved in is code, unless it follows its heading."""
        lines: list[str] = []
        code, before = False, ""
        for line in text.split("\n"):
            moved_in = line.startswith("    ")
            if moved_in and not before.strip() and not code:
                lines += [".. code-block:: c", ""]
                code = True
            elif line and not moved_in:
                code = False
            lines.append(line if code else self.prose(line))
            before = line
        return "\n".join(lines)

    def comment(self, text: str) -> str:
        """Return a comment with its tags as a list of fields."""
        text, tags = split_tags(text)
        lines = [self.body(text), ""]
        for name, way, said in tags:
            prefix = "" if way == "in" else f"*{way.replace(',', ' and ')}.* "
            lines.append(f":{f'param {name}' if name else 'returns'}: {prefix}{self.prose(said)}")
        return "\n".join(lines)

    def slot(self, slot: Slot) -> str:
        """Return a row as the description of a function."""
        since = [f"since version {slot.since}"] if slot.since else []
        facts = " · ".join([f"slot {slot.index}", *since, WHO[slot.who]])
        return described("c:function", slot.signature, f"*{facts}*\n\n{self.comment(slot.comment)}")

    def declaration(self, declared: Declaration) -> str:
        """Return a declaration with its comment, and its code where that says more."""
        text = self.comment(declared.comment)
        if declared.code and declared.kind != "function":
            text += f"\n\n{code_block(declared.code)}"
        return described(f"c:{declared.kind}", declared.name, text)

    def group(self, group: Group) -> str:
        """Return a section: what is said of all, then each declaration."""
        parts = map(self.declaration, group.declarations)
        inside = "\n".join(parts) or code_block(group.code)
        return f"{heading(group.title, '-')}\n{self.body(group.about)}\n\n{inside}\n"


def indented(text: str) -> str:
    """Return a text moved in by the three columns that a directive's content needs."""
    return "\n".join(f"   {line}".rstrip() for line in text.split("\n"))


def heading(text: str, line: str = "=") -> str:
    """Return a title of a page or a section."""
    return f"{text}\n{line * len(text)}\n"


def described(directive: str, argument: str, text: str) -> str:
    """Return a directive with its content."""
    return f".. {directive}:: {argument}\n\n{indented(text)}\n"


def code_block(code: str) -> str:
    """C as it is."""
    return f".. code-block:: c\n\n{indented(code)}\n"


def title_of(topic: str) -> str:
    """Return what people call a topic."""
    return TITLES.get(topic, topic.replace("_", " ").capitalize())


def slot_page(title: str, about: str, slots: Iterable[Slot], writer: Writer) -> str:
    """Return a page of functions; what stands between the rows of their list is kept."""
    parts = [heading(title), about, ""]
    for slot in slots:
        parts += [writer.body(slot.above), "", writer.slot(slot)]
    return "\n".join(parts)


def apart(slot: Slot, table: str) -> Slot:
    """Get a row whose function has the name of another table's, with the table before the name."""
    name = f"{table}.{slot.name}"
    return slot._replace(signature=slot.signature.replace(f" {slot.name}(", f" {name}(", 1))


def overview(topics: dict[str, list[Slot]], writer: Writer) -> str:
    """Return the page that leads to the others."""
    rules = "\n".join(f":{term}: {writer.prose(text)}" for term, text in rules_of_rows())
    rows = [["Topic", "Functions", *WHO.values()]]
    for topic, members in topics.items():
        answered = [sum(slot.who == who for slot in members) for who in WHO]
        rows.append([f":doc:`{title_of(topic)} <{topic}>`", str(len(members))])
        rows[-1] += [str(number or "") for number in answered]
    return "\n".join(
        [
            heading("C API"),
            writer.body(head_of(MAIN_HEADER)),
            heading("\nWhat holds for every function", "-"),
            rules,
            heading("\nThe functions by topic", "-"),
            table(rows),
            toctree("Functions", [*(f"{title_of(each)} <{each}>" for each in topics), "order"]),
            toctree("Other tables", TABLES.values()),
            toctree("Types", [Path(header).stem for header in HEADERS]),
        ]
    )


def order(slots: list[Slot]) -> str:
    """Get the page of the whole table: what a client finds by place, and since when it is there."""
    rows = [["Slot", "Since", "Function", "Topic", "Who answers"]]
    for slot in slots:
        topic = f":doc:`{title_of(slot.topic)} <{slot.topic}>`"
        function = f":c:func:`{slot.name}`"
        rows.append([str(slot.index), str(slot.since), function, topic, WHO[slot.who]])
    return "\n".join([heading("The table in order"), ORDER, table(rows)])


def table(rows: list[list[str]]) -> str:
    """Return a table with a head."""
    lines = [
        f"   {'- ' if i else '* - '}{cell}".rstrip() for row in rows for i, cell in enumerate(row)
    ]
    lines = [line if line.startswith("   *") else f"  {line}" for line in lines]
    return "\n".join([".. list-table::", "   :header-rows: 1", "", *lines, ""])


def toctree(caption: str, names: Iterable[str]) -> str:
    """Return a hidden list of the pages below this one."""
    options = [f"   :caption: {caption}", "   :hidden:", ""]
    return "\n".join([".. toctree::", *options, *(f"   {name}" for name in names), ""])


def pages() -> dict[str, str]:
    """Return the text of each page by its name."""
    slots = slots_of(MAIN)
    others = {file: slots_of(file) for file in TABLES}
    groups = {header: list(groups_of(header)) for header in HEADERS}
    declared = [item for found in groups.values() for group in found for item in group.declarations]
    main = {slot.name for slot in slots}
    writer = Writer(
        [slot.name for found in (slots, *others.values()) for slot in found],
        [item.name for item in declared if item.kind in ("enum", "struct", "type")],
    )
    topics: dict[str, list[Slot]] = {}
    for slot in slots:
        topics.setdefault(slot.topic, []).append(slot._replace(above=""))
    topics = dict(sorted(topics.items()))
    written = {"index": overview(topics, writer), "order": order(slots)}
    for topic, members in topics.items():
        written[topic] = slot_page(f"C: {title_of(topic)}", CALLS, members, writer)
    for file, name in TABLES.items():
        about = writer.body(head_of(file).partition("\n\n")[2])
        rows = [apart(slot, name) if slot.name in main else slot for slot in others[file]]
        written[name] = slot_page(name, about, rows, writer)
    for header, title in HEADERS.items():
        # The overview says already what the main header does.
        about = INTRODUCTION if header == MAIN_HEADER else writer.body(head_of(header))
        sections = map(writer.group, groups[header])
        written[Path(header).stem] = "\n".join([heading(title), about, "", *sections])
    return written


def write(_: Sphinx) -> None:
    """Write the pages that changed, since Sphinx reads those anew; drop those of before."""
    PAGES.mkdir(exist_ok=True)
    texts = {f"{name}.rst": text for name, text in pages().items()}
    for file in PAGES.glob("*.rst"):
        if file.name not in texts:
            file.unlink()
    for name, text in texts.items():
        file = PAGES / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up what Sphinx calls."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
