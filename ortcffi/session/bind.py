# SPDX-License-Identifier: MIT
"""What `Session.bind` does: it makes a `Binding` and binds what it was given."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ortcffi.session.binding import Binding
from ortcffi.session.rules import unknown

if TYPE_CHECKING:
    from ortcffi.session.session import Session

__all__ = ["bind"]


def bind(
    session: "Session",
    /,
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | Iterable[str] | None = None,
    *,
    copy: bool = False,
    hold_gil: bool = False,
    **io: Any,
) -> Binding:
    """Bind inputs and outputs once, to run often with less work for each run.

    Parameters
    ----------
    inputs : mapping of str to array-like or Value, optional
        Inputs by name, as for `Binding.bind_input`.
    outputs : mapping, or iterable of str, optional
        The outputs wanted by name, as for `Binding.bind_output`; of an iterable each is allocated
        in memory of the CPU. By default all outputs.
    copy : bool, optional
        Whether arrays of inputs are bound by a copy of what they hold now. Otherwise later runs see
        what is written to them, and an array that cannot be borrowed, such as one that is not
        C-contiguous, is refused.
    hold_gil : bool, optional
        Whether runs keep the GIL, as of `Session`. They do anyway if those of the session do.
    **io
        Further inputs and outputs by name.

    Returns
    -------
    Binding

    Examples
    --------
    ``bound = session.bind(x=x, y=out)``, then ``bound.run()`` as often as `x` has new content.
    """
    if outputs is not None and isinstance(outputs, str):
        raise TypeError(f"outputs must be a mapping or a list of names, not {outputs!r}")
    known = {spec.name for spec in session.outputs}
    to_bind: dict[str, Any] = {}
    if isinstance(outputs, Mapping):
        to_bind.update(outputs)
    elif outputs is not None:
        to_bind.update(dict.fromkeys(outputs))
    else:
        to_bind.update((spec.name, None) for spec in session.outputs)
    inputs = dict(inputs or {})
    names = {spec.name for spec in (*session.inputs, *session.overridable_initializers)}
    for name, x in io.items():
        if name not in known | names:
            raise unknown("input or output", name, (*session.inputs, *session.outputs))
        (to_bind if name in known and name not in names else inputs)[name] = x
    binding = Binding(session, hold_gil)
    for name, x in inputs.items():
        binding.bind_input(name, x, copy=copy)
    for name, x in to_bind.items():
        binding.bind_output(name, x)
    return binding
