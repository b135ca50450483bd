# SPDX-License-Identifier: MIT
"""A fork while another thread imports a module of this package."""

import os
import sys
import threading

import pytest
from support.processes import fork
from support.threads import join

import ortcffi

MODULE = "ortcffi.imported_slowly"
TEXT = """
import ortcffi

ortcffi.begun.set()
ortcffi.may_end.wait({limit})
"""
LIMIT = 20  # seconds


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_child_can_import_what_another_thread_was_importing(tmp_path, monkeypatch):
    (tmp_path / "imported_slowly.py").write_text(TEXT.format(limit=LIMIT))
    monkeypatch.setattr(ortcffi, "__path__", [*ortcffi.__path__, str(tmp_path)])
    for event in ("begun", "may_end"):
        monkeypatch.setattr(ortcffi, event, threading.Event(), raising=False)
    importer = threading.Thread(target=__import__, args=(MODULE,), daemon=True)
    importer.start()
    assert ortcffi.begun.wait(LIMIT)
    # The import goes on once the fork waits for it; what is registered last runs first.
    once = [threading.Timer(0.05, ortcffi.may_end.set).start]
    os.register_at_fork(before=lambda: once and once.pop()())  # it stays registered
    status = fork(lambda: __import__(MODULE), LIMIT)
    join(importer)
    del sys.modules[MODULE]
    assert status == 0
