# SPDX-License-Identifier: MIT
"""Commands that load libraries keep their time limits, and leave no process of a library behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.processes import has_ended, started
from support.threads import wait_until

from ortcffi.cli import check_client, doctor
from ortcffi.kernels import child
from ortcffi.table.find import Runtime

pytestmark = pytest.mark.slow

SECONDS = 60  # for what takes one or two
LIBRARY = """
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void note(pid_t process) {
  FILE* file = fopen(NOTES, "a");
  fprintf(file, "%d\\n", (int)process);
  fclose(file);
}
__attribute__((constructor)) static void begin(void) {
  note(getpid());
  pid_t child = fork();
  while (child == 0) {
    signal(SIGTERM, SIG_IGN);
    pause(); /* with the standard output that it has from its parent */
  }
  note(child);
  WHEN_LOADED;
}
int RegisterCustomOps(void) { return 0; }
void* OrtGetApiBase(void) { return 0; }
"""


@pytest.fixture
def library(compile_c, tmp_path):
    """``library("pause()")`` starts a process that stays, and then does so when it is loaded."""

    def library(when_loaded: str) -> Path:
        notes = f'-DNOTES="{tmp_path / "notes"}"'
        built = compile_c(LIBRARY, "-shared", "-fPIC", notes, f"-DWHEN_LOADED={when_loaded}")
        return built.rename(tmp_path / "libstays.so")

    return library


def noted(folder: Path) -> list[int]:
    path = folder / "notes"
    return [int(line) for line in path.read_text().splitlines()] if path.exists() else []


def assert_all_ended(folder: Path, count: int) -> None:
    processes = noted(folder)
    assert len(processes) >= count
    wait_until(lambda: all(map(has_ended, processes)))


def opened(path: Path, seconds: float) -> str:
    return doctor.examine(Runtime(str(path), "given"), seconds).problem or ""


def registered(path: Path, seconds: float) -> str:
    return check_client.examine(str(path), "core", seconds).problem or ""


LOOKS = pytest.mark.parametrize("look", [opened, registered])


@LOOKS
def test_a_library_that_hangs_takes_no_longer_than_the_limit(library, tmp_path, look):
    path, begin = library("for (;;) pause()"), time.monotonic()
    assert look(path, 2.0) in (
        "does not return within 2 seconds",
        "it does not return within 2 seconds",
    )
    assert time.monotonic() - begin < 30
    assert_all_ended(tmp_path, 2)


@LOOKS
def test_a_process_that_a_library_leaves_is_not_waited_for(library, tmp_path, look):
    begin = time.monotonic()
    look(library("_exit(3)"), 100.0)
    assert time.monotonic() - begin < 50
    assert_all_ended(tmp_path, 2)


PREPARED = "ortcffi.cli.check_client"


def test_a_fork_that_hangs_is_ended_with_what_it_has_left(library, tmp_path):
    with child.prepared(PREPARED):
        problem = registered(library("for (;;) pause()"), 2.0)
        assert problem == "it does not return within 2 seconds"
    assert_all_ended(tmp_path, 2)


def test_what_a_fork_leaves_is_ended_before_the_next_one(library, tmp_path):
    path = library("_exit(3)")
    with child.prepared(PREPARED):
        for count in (2, 4):
            assert registered(path, 100.0) == "it ends the process, with exit code 3"
            assert_all_ended(tmp_path, count)


def test_an_interrupt_ends_a_fork_that_hangs(library, tmp_path):
    path = library("for (;;) pause()")

    def interrupt():
        wait_until(lambda: len(noted(tmp_path)) >= 2)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt), child.prepared(PREPARED):
        registered(path, 100.0)
    thread.join(SECONDS)
    assert_all_ended(tmp_path, 2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("command", ["check", "doctor"])
def test_a_command_that_a_signal_ends_takes_its_processes_with_it(
    library, tmp_path, command, number
):
    path = library("for (;;) pause()")
    words = sys.executable, "-m", "ortcffi", command, path
    environment = os.environ | {"ORTCFFI_LIBRARY": str(path)}
    with started(*words, env=environment, stderr=subprocess.PIPE) as process:
        wait_until(lambda: len(noted(tmp_path)) >= 2)
        process.send_signal(number)
        assert process.wait(SECONDS) == 128 + number
        assert process.stderr.read() == b""
    assert_all_ended(tmp_path, 2)
