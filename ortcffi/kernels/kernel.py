# SPDX-License-Identifier: MIT
"""`Kernel`: the kernel of a custom op, without a model and a session."""

from typing import Any

import numpy as np

from ortcffi._convert import named
from ortcffi._handle import Closing
from ortcffi._native import compiled, ffi
from ortcffi._public import public
from ortcffi._table import core_api
from ortcffi.custom_ops.describe import CustomOp
from ortcffi.kernels.host import call_host
from ortcffi.values.checks import array_as, element_of_array, unfit
from ortcffi.values.element_types import ElementType
from ortcffi.values.tensor_type_info import TensorTypeInfo, array_of_infos, moved
from ortcffi.values.value import Value

KernelHost = compiled.KernelHost
public(KernelHost)


@public
class Kernel(KernelHost, Closing):
    """The kernel of a custom op, for one node that is in no model. Made by an op's `kernel`.

    Called with the inputs, it returns the output as an array, or a tuple of several. Inputs are
    whatever `Value` takes, None for an optional one that is left out; arrays are not copied. Any
    thread may call it.

    Attributes
    ----------
    node_name : str
        The name of the node.

    Raises
    ------
    InvalidArgument
        The inputs do not fit what the op declares; the message names the input and the op.
    OrtError
        The kernel failed: with a status, or with a C++ exception, whose text is in the message.
    """

    description: CustomOp
    node_name: str

    def compute(self, *inputs: Any, out: Any = None) -> Any:
        """Compute, and return a `Value`, or a tuple of several.

        Parameters
        ----------
        *inputs
            As for the call itself.
        out : Value or ndarray, or a list of them, optional
            Where the outputs are written to, instead of memory that the kernel allocates; None for
            those that it is to allocate. Types and shapes must be right.
        """
        found = self._compute(inputs, None if out is None else self._targets(out))
        return found[0] if len(found) == 1 else found

    def _targets(self, out: Any) -> tuple[Value | None, ...]:
        """Return the values that outputs are written to."""
        listed = [out] if isinstance(out, (Value, np.ndarray)) else out
        if not isinstance(listed, (list, tuple)):
            raise TypeError(f"out must be a Value, an ndarray or a list of them, not {out!r}")
        if len(listed) != (count := self._outputs):
            raise ValueError(
                f"out must have {count} entries, one for each output, but has {len(listed)}"
            )
        return tuple(_target(place, x) for place, x in enumerate(listed))

    def infer_shapes(self, *inputs: Any) -> "tuple[TensorTypeInfo | None, ...]":
        """Have the op work out the types and shapes of its outputs.

        Parameters
        ----------
        *inputs : TensorTypeInfo, tuple or array
            What is known of the inputs: a tuple is a shape of the type that the op declares; an
            array, or anything with a shape and a dtype, stands for its own. None: nothing.

        Returns
        -------
        tuple of TensorTypeInfo or None
            None for an output that the op says nothing of.
        """
        api = core_api()
        infos = [self._info(i, x) for i, x in enumerate(inputs)]
        handles = [i.handle if i else ffi.NULL for i in infos]  # kept until the end of the call
        given = ffi.new("OrtTensorTypeAndShapeInfo*[]", handles)
        room = max(len(self.description.outputs), self._outputs)
        inferred = array_of_infos(api, room)
        arguments = self.handle, given, len(infos), inferred.items, room
        call_host("OrtcoreKernelInferShapes", *arguments, function="InferOutputShapeFn")
        return tuple(moved(api, inferred, place) for place in range(room))

    def _info(self, place: int, x: Any) -> TensorTypeInfo | None:
        if x is None or isinstance(x, TensorTypeInfo):
            return x
        if hasattr(x, "shape") and hasattr(x, "dtype"):
            return TensorTypeInfo(x.dtype, x.shape, core_api())
        return TensorTypeInfo(self._declared(place), x, core_api())

    def _declared(self, place: int) -> int:
        operands = self.description.inputs
        return operands[min(place, len(operands) - 1)].element_type if operands else 0

    def _convert(self, place: int, x: Any) -> Value:
        """Return a value of anything that the compiled code does not take as it is."""
        api = core_api()
        if isinstance(x, Value):
            return x if x.api.is_core else Value.from_numpy(x.numpy(), api=api, copy=True)
        if not isinstance(x, np.ndarray) and hasattr(x, "__dlpack__"):
            return Value.from_dlpack(x, api=api)
        element = self._declared(place)
        with named(f"input {place} of {self.description.name}"):
            if element == ElementType.STRING or isinstance(x, (str, bytes)):
                array = np.asarray(x, object)
                return Value.from_strings(array.reshape(-1).tolist(), array.shape, api=api)
            if not isinstance(x, np.ndarray):
                dtype = Value.empty(0, ElementType(element), api=api).dtype if element else None
                x = array_as(x, dtype)
            return Value.from_numpy(x, api=api, copy=True)

    def __repr__(self) -> str:
        op = self.description
        return f"<Kernel of {op.domain}:{op.name}{' closed' if self.closed else ''}>"


def _target(place: int, x: Any) -> Value | None:
    """Return what an output is written to."""
    subject = f"out[{place}]"
    if x is None:
        return None
    if isinstance(x, Value):
        if not x.api.is_core:
            raise ValueError(f"{subject} belongs to {x.api}, and kernels run on the core")
        return x
    if not isinstance(x, np.ndarray):
        raise TypeError(f"{subject} must be a Value, an ndarray or None, not {type(x).__name__}")
    element = element_of_array(x, subject)
    if element is ElementType.STRING:
        raise TypeError(f"{subject}: kernels cannot write strings to an array: use a Value")
    reason = unfit(x, element, subject) if x.flags.writeable else f"{subject} is read-only"
    if reason is not None:
        raise ValueError(f"{reason}: a kernel cannot write to it")
    return Value.from_numpy(x, api=core_api())
