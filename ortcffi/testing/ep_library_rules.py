# SPDX-License-Identifier: MIT
"""Rules for libraries of execution providers that need no model."""

import os
from typing import Any

from ortcffi._convert import decode
from ortcffi._native import ffi
from ortcffi._table import HIGHEST_VERSION, core_api, host_function
from ortcffi.errors import OrtError, call
from ortcffi.kernels.host import call_host
from ortcffi.options.session_options import SessionOptions
from ortcffi.table.hosts import emulate
from ortcffi.table.trace import Trace
from ortcffi.testing.ep_bench import EXCEPTION, FIRST, Bench
from ortcffi.testing.ep_factories import EP_ENTRY, read_factory
from ortcffi.testing.rules import Broken, NotTried, rule

_TIMES = 100
_SLACK = 8  # files and threads that a library may keep for good
_ROOM = 8  # devices for which ONNX Runtime has room


@rule("registration", "the header: CreateEpFactories and ReleaseEpFactory", hosts="both")
def registers(bench: Bench) -> None:
    """A host can register and unregister it.

    If this fails on a host, only rules that call these functions by themselves are tried there.
    """
    with bench.registered():
        pass


@rule("registration", "the header: what is unregistered is unloaded", hosts="both")
def registers_a_hundred_times(bench: Bench) -> None:
    """It can be registered a hundred times in one process.

    Programs look for devices again and again. Threads, files and objects must have ended by then.
    """
    counts: list[dict[str, int]] = []
    with bench.env() as env:

        def turn() -> None:
            with bench.register(env):
                pass

        def turns() -> None:
            for _ in range(_TIMES // 2):
                turn()

        turn()
        counts.append(_resources())
        left = bench.find_left(turns)
        counts.append(_resources())
    if left:
        raise Broken(f"{_TIMES // 2} turns leave {left}")
    for what, before in counts[0].items():
        if counts[1][what] > before + _SLACK:
            raise Broken(f"{_TIMES} turns leave {counts[1][what] - before} {what} open")


def _resources() -> dict[str, int]:
    folders = {"files": "/proc/self/fd", "threads": "/proc/self/task"}
    return {what: len(os.listdir(path)) for what, path in folders.items() if os.path.isdir(path)}


@rule("registration", "the header: GetApi answers NULL for a newer version", alone=True)
def answers_older_hosts_with_a_status(bench: Bench) -> None:
    """A host that is too old gets a status, which says so.

    ``GetApi`` is NULL there: make the status with the table of version 1, which every host has.
    """
    library = bench.library()
    with bench.env():
        for version in dict.fromkeys((max(bench.subject.asked - 1, FIRST), FIRST)):
            host = Trace(emulate(version))
            try:
                made = library.make(host.base, host_function("OrtcoreLogger")())
            except OrtError:
                continue
            if not made:
                wanted = max(host.asked, default=0)
                raise Broken(
                    f"a host of API version {version} gets success and no factory, though "
                    f"GetApi({wanted}) answers NULL: answer a status that says so"
                )
            for factory in made:
                library.release(factory)


@rule("registration", "the header: max_factories", alone=True, must=False)
def refuses_where_there_is_no_room(bench: Bench) -> None:
    """Without room for a factory, it returns a failing status and writes nothing.

    The size of the array of factories is the host's; ONNX Runtime has room for four.
    """
    try:
        with bench.env():
            made = bench.library().make(bench.api.base, host_function("OrtcoreLogger")(), 0)
    except OrtError:
        return
    except ValueError as error:
        raise Broken(f"with room for none, {error}") from error
    if not made:
        raise Broken(f"with room for none, {EP_ENTRY} answers success, without a factory")


@rule("registration", "a host that has none", alone=True, must=False)
def does_without_a_logger(bench: Bench) -> None:
    """It does not crash if its logger is NULL.

    Return a failing status, or log nothing.
    """
    library = bench.library()
    try:
        made = library.make(bench.api.base, ffi.NULL)
    except OrtError:
        return
    for factory in made:
        library.release(factory)


@rule("factory", "ONNX Runtime 1.32 calls them; measured", alone=True)
def has_the_functions_of_a_factory(bench: Bench) -> None:
    """A factory has all functions that ONNX Runtime calls without checking for NULL.

    A name, a vendor, a semantic version, ``CreateDataTransfer``, and what releases all it makes.
    """
    with bench.factories(with_null=True) as made:
        names = []
        for each in made:
            factory = read_factory(each)
            if factory.problems:
                title = f"{factory.name} {factory.ep_version}".strip() or "a factory without a name"
                raise Broken("; ".join(f"{title}: {problem}" for problem in factory.problems))
            names.append(factory.name)
    if len(set(names)) < len(names):
        raise Broken(f"two factories have the name {max(names, key=names.count)}")


@rule("factory", "the header: ort_version_supported", alone=True)
def declares_a_version_that_it_asked_for(bench: Bench) -> None:
    """No struct declares a newer version than the library asked ``GetApi`` for.

    A host reads the fields of a struct up to ``ort_version_supported``.
    """
    asked = bench.subject.asked
    if not asked:
        raise NotTried("it asks for no version")
    with bench.factories() as made:
        for factory in made:
            if factory.ort_version_supported > max(asked, FIRST):
                version = factory.ort_version_supported
                raise Broken(f"a factory declares version {version}; it asked for {asked}")


@rule("factory", "the header: GetName of OrtEp and of OrtEpFactory")
def keeps_its_names(bench: Bench) -> None:
    """Name, vendor and version stay the same, and the provider has its factory's name.

    Hosts compare them, and look for options under the name.
    """
    with bench.factories() as made:
        first = [read_factory(each)[:4] for each in made]
        again = [read_factory(each)[:4] for each in made]
        if first != again:
            raise Broken(f"a factory is {again}, and was {first}")
    with bench.provider() as ep:
        name = decode(ep.handle.ep.GetName(ep.handle.ep))
        names = [each[0] for each in first]
        if name not in (*names, bench.subject.name):
            raise Broken(f"a provider says that its name is {name}, and its factory {names[0]}")


@rule("factory", "the header: max_ep_devices", alone=True)
def lists_no_device_where_there_is_no_room(bench: Bench) -> None:
    """With no hardware, or no room for devices, it writes no device.

    ``GetSupportedDevices`` gets arrays and their sizes, which may be 0.
    """
    with bench.factories() as made, bench.env() as env:
        for factory in made:
            for pieces, room in (([], _ROOM), (env.hardware, 0)):
                _list_devices(factory, [each.handle for each in pieces], room)


def _list_devices(factory: Any, hardware: list[Any], room: int) -> None:
    given = ffi.new("const OrtHardwareDevice*[]", hardware or [ffi.NULL])
    devices, count = ffi.new("OrtEpDevice*[]", _ROOM + 1), ffi.new("size_t*")
    arguments = factory, given, len(hardware), devices, room, count
    try:
        call(core_api().pointer, "GetSupportedDevices", factory.GetSupportedDevices, *arguments)
    except OrtError:
        return
    finally:
        written = [i for i, device in enumerate(devices) if device]
        for i in written:
            core_api().pointer.GetEpApi().ReleaseEpDevice(devices[i])
    if count[0] > room or len(written) > room:
        raise Broken(
            f"with {len(hardware)} pieces of hardware and room for {room} devices, "
            f"GetSupportedDevices writes {len(written)} and says {count[0]}"
        )


@rule("factory", "the header: who releases what")
def releases_what_its_factories_made(bench: Bench) -> None:
    """Nothing is left when the factories are released.

    The host counts key-value pairs, memory infos, statuses, devices.
    """

    def work() -> None:
        with bench.registered(watch=True):
            pass

    if left := bench.find_left(work):
        raise Broken(f"it leaves {left}")


@rule("provider", "the header: CreateEp")
def makes_a_provider(bench: Bench) -> None:
    """``CreateEp`` makes a provider for the first device.

    With the options of the check. If this fails, rules about providers are not tried.
    """
    with bench.registered() as registered, bench.make(registered):
        pass


@rule("provider", "the header: Compile, GetKernelRegistry")
def has_the_functions_of_a_provider(bench: Bench) -> None:
    """A provider can compile or has kernels, and releases what it makes.

    ``GetName``, ``GetCapability``, and ``Compile`` with its release or ``GetKernelRegistry``.
    """
    with bench.provider() as ep:
        struct = ep.handle.ep
        version = struct.ort_version_supported
        compiles = struct.Compile and struct.ReleaseNodeComputeInfos
        if not FIRST <= version <= HIGHEST_VERSION:
            raise Broken(f"its struct has API version {version}; the first is {FIRST}")
        if bool(struct.Compile) != bool(struct.ReleaseNodeComputeInfos):
            raise Broken("it has only one of Compile and ReleaseNodeComputeInfos")
        if not compiles and not (version >= 24 and struct.GetKernelRegistry):
            raise Broken("it has neither Compile nor GetKernelRegistry")
        if version > max(bench.subject.asked, FIRST):
            asked = bench.subject.asked
            raise Broken(f"its struct declares version {version}; the library asked for {asked}")


@rule("provider", "a host that has none", must=False)
def makes_a_provider_without_a_logger(bench: Bench) -> None:
    """``CreateEp`` does not crash if its logger is NULL.

    Return a failing status, or log nothing.
    """
    with bench.registered() as registered:
        with bench.tried("no provider could be made"):
            bench.make(registered).close()
        out = ffi.new("OrtcoreEp**")
        devices = ffi.new("const OrtEpDevice*[]", [registered.devices[0].handle])
        with SessionOptions(core_api(), config=bench.config(registered)) as options:
            try:
                call_host("OrtcoreCreateEp", devices, 1, options.handle, ffi.NULL, out)
            except OrtError:
                return
        host_function("OrtcoreReleaseEp")(out[0])


@rule("provider", "programs with several sessions")
def ends_in_any_order(bench: Bench) -> None:
    """Two providers of one library live and end independently of each other.

    Before or after the library is unregistered. No exception leaves a function that releases.
    """
    logged: list[str] = []
    for first in (0, 1):
        with bench.env(lambda record: logged.append(record.text)) as env:
            registered = bench.register(env)
            pair = bench.pair(registered)
            pair[first].close()
            registered.close()
            pair[1 - first].close()
    if wrong := [message for message in logged if EXCEPTION in message]:
        raise Broken(wrong[0])
