# SPDX-License-Identifier: MIT
"""A library of execution providers on the core, watched, without a session."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ortcffi._public import public, refuse_pickle
from ortcffi._table import core_api, made_by
from ortcffi.env.env import Env
from ortcffi.ep.devices import EpDevice
from ortcffi.ep.hardware import HardwareDevice
from ortcffi.ep.watched import LeftStatus
from ortcffi.models.providers import Ep

if TYPE_CHECKING:
    import os

    from ortcffi.ep.registered import RegisteredEp
    from ortcffi.table.api import Api


@public
class EpFactory(NamedTuple):
    """One execution provider of a library.

    Attributes
    ----------
    name : str
        The name of the provider.
    devices : tuple of EpDevice
        Its devices.
    """

    name: str
    devices: tuple[EpDevice, ...]

    def create(
        self, options: Mapping[str, str] | None = None, *, config: Mapping[str, str] | None = None
    ) -> Ep:
        """Make the provider for its first device; `Ep` does it for others.

        Parameters
        ----------
        options : mapping of str to str, optional
            The provider's own options.
        config : mapping of str to str, optional
            Configuration entries, as a session would have them.
        """
        return Ep(self.devices[0], options, config=config)


@public
class EpLibrary:
    """A library of execution providers on the embedded core, with no engine and no session.

    Parameters
    ----------
    path : str or os.PathLike
        The path of the library.
    api : Api, optional
        The host that the library sees: the core, or one of `emulate`.
    hardware : iterable of HardwareDevice, optional
        The hardware that it finds; by default the machine's.
    name : str, optional
        The name to register it under, by default that of the file.
    faults : mapping of str to int, optional
        Which calls of which slots are to fail, as for `WatchedEp.fail`.

    Attributes
    ----------
    registered : RegisteredEp
        The registration, watched.

    Raises
    ------
    Fail
        The library cannot be loaded, or makes no factory; the message names the API version that
        it asked for.
    """

    __slots__ = ("_env", "registered")

    registered: "RegisteredEp"

    def __init__(
        self,
        path: "str | os.PathLike[str]",
        *,
        api: "Api | None" = None,
        hardware: Iterable[HardwareDevice] | None = None,
        name: str | None = None,
        faults: Mapping[str, int] | None = None,
    ) -> None:
        host = core_api() if api is None else made_by(api)
        self._env = Env(api=core_api())
        self.registered = self._env.register_ep(
            path, name, hardware=hardware, host=host, watch=True, faults=faults
        )

    @property
    def factories(self) -> tuple[EpFactory, ...]:
        """Its execution providers that have a device, in the order of their devices."""
        found: dict[str, list[EpDevice]] = {}
        for device in self.registered.devices:
            found.setdefault(device.name, []).append(device)
        return tuple(EpFactory(name, tuple(devices)) for name, devices in found.items())

    @property
    def calls(self) -> dict[str, int]:
        """How often the library called each slot."""
        return self.registered.calls

    @property
    def wanted_version(self) -> int:
        """The highest API version that the library asked for."""
        return self.registered.wanted_version

    def left_alive(self) -> dict[str, int]:
        """How many objects of each slot the library has not released; see `WatchedEp`."""
        return self.registered.left_alive()

    def left_statuses(self) -> list[LeftStatus]:
        """Which statuses neither the library nor the core has released."""
        return self.registered.left_statuses()

    def fail(self, faults: Mapping[str, int] | None) -> None:
        """Have calls of slots fail; see `WatchedEp.fail`."""
        self.registered._watched().fail(faults)

    def close(self) -> None:
        """Unregister the library, once no provider of it is in use."""
        self.registered.close()
        self._env.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    __reduce__ = refuse_pickle

    def __repr__(self) -> str:
        return f"<EpLibrary {'closed' if self.registered.closed else repr(self.registered.name)}>"
