# SPDX-License-Identifier: MIT
"""How many instructions does a path through the table, or through the package, take?

Times differ from machine to machine and from one minute to the next; the number of instructions
executed does not. A C client and a Python program walk each path often under ``valgrind
--tool=callgrind``; the difference between a long and a short walk is what one round trip costs,
warm. Paths in Python have more rows: what is left without the real library and the C library, and
how often the extension calls the real library, whose own work would hide one more call.

Needs valgrind and a C compiler. Run ``python benchmarks/bench_how_many_instructions.py``. With
``--record`` the counts go into ``instructions.json``; with ``--check`` they are compared with it,
and the exit code is 1 if one has grown by more than 5 %, 3 if nothing could be compared.
"""

import argparse
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from pathlib import Path

from bench_what_does_a_model_without_onnxruntime_save import CHAIN, GUIDE, chain

import ortcffi

HERE = Path(__file__).resolve().parent
RECORDS = HERE / "instructions.json"
MOST = 1.05  # times the recorded count
FEW = 50  # instructions by which two machines may differ
SHORT, LONG = 100, 1100
WALKS, ROUNDS = 10, 200  # in Python; the shortest walk counts: some runs are watched for signals
IN_C = {
    "status-55": "create + release a status, 55 bytes",
    "status-1000": "create + release a status, 1000 bytes",
    "fail": "failing AllocatorAlloc, status read",
    "memory-info": "failing CreateMemoryInfo, status read",
    "alloc-64": "alloc + free, 64 B",
    "alloc-65536": "alloc + free, 64 KB",
    "alloc-16777216": "alloc + free, 16 MB",
    "burst-64": "alloc 64 blocks of 64 B, then free them",
    "burst-65536": "alloc 64 blocks of 64 KB, then free them",
    "tensor": "create + release a tensor over 1 KB",
}
NODES = 100
IN_MODELS = {  # of the core, the only library that opens models without a session
    "open": "open + release a model of 100 nodes",
    "graph": "the same, and make its graph",
    "nodes": "list the nodes and operands of a graph of 100 nodes",
    "attributes": "read the attributes of 100 nodes",
    "write": "write a model of 100 nodes",
}
IN_SESSIONS = f"run a session of {CHAIN:,} nodes"
OF_SESSIONS = f"make a session of {CHAIN:,} nodes"
IN_PYTHON = {
    "call": "Python: checked successful call",
    "failure": "Python: failing call, caught and read",
    "empty": "Python: aligned ndarray, 16 bytes",
    "from-numpy": "Python: ndarray to value",
    "to-numpy": "Python: value to ndarray",
    "kernel": "Python: run an op in C",
    "op": "Python: run an op written in Python",
    "run": "Python: run of one addition",
    "bound-run": "Python: run of one addition, bound",
    "model": "Python: open a model of 100 nodes",
    "model-graph": "Python: the same, and list nodes and operands",
    "model-attributes": "Python: attributes of a node",
    "model-write": "Python: write a model of 100 nodes",
}
IN_IMPORTS = {
    "import ortcffi; ortcffi.Session": "import of Session, over NumPy's",
    "import ortcffi.compat as o; o.InferenceSession": "import of compat's sessions, over NumPy's",
}
OURS = ", in this package and Python"
CALLS = ", calls of the library"
# Where the rest of a path is executed: in the engine, and where it calls the C library.
NOT_OURS = re.compile(r"/(libonnxruntime|libc|libm|libstdc\+\+|ld-linux)[-.][^/]*$")
TRIGGER = "desc: Trigger: Client Request: "
CALLGRIND = ["valgrind", "--tool=callgrind"]


def compiled(folder: str, source: Path, *flags: str) -> str:
    output = os.path.join(folder, source.stem)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    include = f"-I{ortcffi.get_include()}"
    command = [*compiler, "-O2", include, *flags, str(source), "-o", output, "-ldl"]
    subprocess.run(command, check=True)
    return output


def executed(
    client: str, library: str, path: str, count: int, *more: str, function: str = "walk"
) -> int:
    tool = [*CALLGRIND, "--callgrind-out-file=/dev/null", f"--toggle-collect={function}"]
    return collected([*tool, client, library, path, str(count), *more], os.environ)


def collected(command: list[str], environment: Mapping[str, str]) -> int:
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None:
        raise RuntimeError(f"callgrind did not say what it collected: {done.stderr}")
    return int(found[1])


def counts_in_c(folder: str, library: str) -> dict[str, int]:
    client = compiled(folder, HERE / "c/paths.c")
    return {
        title: per_walk(lambda count, path=path: executed(client, library, path, count))
        for path, title in IN_C.items()
    }


def counts_of_models(folder: str, library: str) -> dict[str, int]:
    client = compiled(folder, HERE / "c/model_paths.c")
    model = model_of(folder)
    return {
        title: per_walk(lambda count, path=path: executed(client, library, path, count, model))
        for path, title in IN_MODELS.items()
    }


def counts_of_sessions(folder: str, library: str) -> dict[str, int]:
    client = compiled(folder, HERE / "c/session_paths.c")
    provider = compiled(folder, GUIDE / "add_ep.c", "-shared", "-fPIC")
    model = os.path.join(folder, "adds.onnx")
    chain(CHAIN).save(model)
    runs = {count: executed(client, library, model, count, provider) for count in (5, 15)}
    made = executed(client, library, model, 1, provider, function="open_session")
    return {IN_SESSIONS: (runs[15] - runs[5]) // 10, OF_SESSIONS: made}


def model_of(folder: str) -> str:
    """The file of a model of nodes that each read what the one before has made, with attributes."""
    graph = ortcffi.Graph()
    value = graph.input("x", "f4", ["batch", 4])
    for i in range(NODES):
        given = {"alpha": 0.5} if i % 2 else {"axis": -1}
        operator = "LeakyRelu" if i % 2 else "Softmax"
        (value,) = graph.node(operator, [value], [f"value{i}"], attributes=given)
    graph.output(value, "f4", ["batch", 4])
    path = os.path.join(folder, "chain.onnx")
    graph.save(path)
    return path


def per_walk(executed_by: Callable[[int], int]) -> int:
    return round((executed_by(LONG) - executed_by(SHORT)) / (LONG - SHORT))


def counts_in_python(folder: str) -> dict[str, int]:
    shared = ("-shared", "-fPIC")
    marks = compiled(folder, HERE / "c/marks.c", *shared)
    ops = compiled(folder, HERE.parent / "docs/guide/scale_op.c", *shared)
    output = os.path.join(folder, "callgrind.out")
    tool = [*CALLGRIND, "--separate-threads=yes", f"--callgrind-out-file={output}"]
    walker = [sys.executable, "-P", str(HERE / "python_paths.py"), marks, ops, model_of(folder)]
    command = [*tool, *walker, str(WALKS), str(ROUNDS)]
    # Otherwise the order of a dict's or set's items, and with it the work, is drawn each time.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    subprocess.run(command, check=True, env=environment, stderr=subprocess.DEVNULL)
    found = dict(named_part(part) for part in Path(folder).glob("callgrind.out.*-01"))
    counts = {}
    for path, title in IN_PYTHON.items():
        cost = shortest(found, path)
        calls = cost.pop(CALLS, 0)
        cost.subtract(shortest(found, "nothing"))  # the loop and the mark
        ours = sum(count for file, count in cost.items() if not NOT_OURS.search(file))
        counts[title] = round(cost.total() / ROUNDS)
        counts[title + OURS] = round(ours / ROUNDS)
        if calls >= ROUNDS:
            counts[title + CALLS] = round(calls / ROUNDS)
    return counts


def counts_of_imports() -> dict[str, int]:
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    tool = [*CALLGRIND, "--callgrind-out-file=/dev/null"]

    def executed_by(statement: str) -> int:
        command = [sys.executable, "-P", "-c", f"import os, numpy\n{statement}\nos._exit(0)"]
        subprocess.run(command, check=True, env=environment)  # Python caches the bytecode
        return collected([*tool, *command], environment)

    of_numpy = executed_by("")
    return {title: executed_by(each) - of_numpy for each, title in IN_IMPORTS.items()}


def shortest(found: dict[str, Counter[str]], path: str) -> Counter[str]:
    return Counter(min((found[f"{path} {i}"] for i in range(WALKS)), key=Counter.total))


def named_part(file: Path) -> tuple[str, Counter[str]]:
    """What callgrind wrote at one mark: its name, the instructions in each object, and CALLS."""
    names: dict[str, str] = {}
    name, current, called, is_of_call = "", "", "", False
    cost: Counter[str] = Counter()
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(TRIGGER):
            name = line.removeprefix(TRIGGER)
        elif found := re.match(r"(c?ob)=\((\d+)\)(?: (.*))?$", line):
            names.setdefault(found[2], found[3])
            called = names[found[2]]
            current = called if found[1] == "ob" else current
        elif found := re.match(r"calls=(\d+) ", line):
            if "/libonnxruntime" in called and "/_ort." in current:
                cost[CALLS] += int(found[1])
            called, is_of_call = current, True  # the next line has what the called function cost
        elif found := re.match(r"[+*\d-]\S* (\d+)$", line):
            cost[current] += 0 if is_of_call else int(found[1])
            is_of_call = False
    return name, cost


def made_with() -> dict[str, str]:
    """What counts depend on: first for those in C, and then what else for those in Python."""
    compiler = re.search(r"compiler=(\w+ \d+)", ortcffi.core_api().build_info)
    allocator = re.search(r"allocator=([\w ]+)", ortcffi.core_api().build_info)
    is_optimized = "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or "")
    how = "optimized" if is_optimized else "not optimized"
    return {
        "machine": platform.machine(),
        "compiler": compiler[1] if compiler else "unknown",
        "heap": allocator[1] if allocator else "unknown",
        "Python": f"{minor(platform.python_version())}, {how}",
        **{name: minor(metadata.version(name)) for name in ("cffi", "numpy", "onnxruntime")},
    }


OF_C = ("machine", "compiler", "heap")


def minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


Record = dict[str, dict[str, str | int]]


def record(counts: dict[str, int]) -> None:
    """Replace the record that was made with the same, or add one."""
    environment = made_with()
    others = [each for each in read_records() if each["made with"] != environment]
    text = json.dumps([*others, {"made with": environment, "counts": counts}], indent=1)
    RECORDS.write_text(text + "\n", encoding="utf-8")


def read_records() -> list[Record]:
    found: list[Record] = json.loads(RECORDS.read_text(encoding="utf-8"))
    return found


def find_record(names: Iterable[str]) -> Record | None:
    """The last record that was made with the same of these."""
    environment = made_with()
    for each in reversed(read_records()):
        if all(each["made with"].get(name) == environment[name] for name in names):
            return each
    return None


def check(counts: dict[str, int]) -> int:
    """Compare with what is recorded; 1 if a path has grown, 3 if none could be compared."""
    grown, compared = 0, 0
    titles_in_c = {*IN_C.values(), *IN_MODELS.values(), IN_SESSIONS, OF_SESSIONS}
    for is_c, names in ((True, OF_C), (False, tuple(made_with()))):
        ours = {t: n for t, n in counts.items() if (t in titles_in_c) == is_c}
        known = find_record(names)
        if known is None:
            with_what = ", ".join(f"{name} {made_with()[name]}" for name in names)
            print(f"NOT COMPARED: {len(ours)} paths. {RECORDS.name} has no counts made with")
            print(f"  {with_what}. On a commit before the change, run with --record.")
            continue
        for title, count in ours.items():
            before = int(known["counts"].get(title, 0))
            if not before:
                print(f"not recorded: {title}")
                continue
            compared += 1
            has_grown = count > max(before * MOST, before + FEW)
            grown += has_grown
            if has_grown or count < min(before / MOST, before - FEW):
                word = "GROWN" if has_grown else "shrunk: record it"
                print(f"{title:65}{before:8} ->{count:8}  {count / before - 1:+.1%}  {word}")
    print(f"{compared} counts compared, {grown} grown by more than {MOST - 1:.0%} and {FEW}")
    return 1 if grown else 0 if compared else 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("libraries", nargs="*", help="default: libortcore and what load() finds")
    todo = parser.add_mutually_exclusive_group()
    todo.add_argument("--record", action="store_true", help=f"write the counts to {RECORDS.name}")
    todo.add_argument("--check", action="store_true", help="compare the counts with those recorded")
    given = parser.parse_args()
    guards = given.record or given.check
    libraries = given.libraries or [ortcffi.get_library()]
    if not given.libraries and not guards:
        libraries.append(ortcffi.load().path)
    with tempfile.TemporaryDirectory() as folder:
        columns = [counts_in_c(folder, library) for library in libraries]
        if not given.libraries:
            columns[0].update(counts_of_models(folder, libraries[0]))
            columns[0].update(counts_of_sessions(folder, libraries[0]))
        columns[0].update(counts_in_python(folder))
        columns[0].update(counts_of_imports())
    print(f"{'instructions per round trip':65}" + "".join(f"{Path(p).name:>28}" for p in libraries))
    for title in columns[0]:
        cells = (f"{column[title]:28}" for column in columns if title in column)
        print(f"{title:65}" + "".join(cells))
    if given.record:
        record(columns[0])
    return check(columns[0]) if given.check else 0


if __name__ == "__main__":
    sys.exit(main())
