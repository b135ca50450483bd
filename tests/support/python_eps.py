# SPDX-License-Identifier: MIT
"""Execution providers written in Python, and models that are opened on them."""

import itertools

import ortcffi as ort

names = (f"of test {i}" for i in itertools.count())


class Takes:
    """Takes each node of some operators, and computes it by a function."""

    def __init__(self, **functions):
        self.functions = functions

    def capability(self, graph):
        return [node for node in graph.nodes if node.op_type in self.functions]

    def compile(self, graph):
        [node] = graph.nodes
        return self.functions[node.op_type]


def provider(instance, **facts):
    return ort.execution_provider(next(names), **facts)(lambda: instance)


def takes(**functions):
    return provider(Takes(**functions))


def negates(shape=(3,), dtype="f4"):
    graph = ort.Graph()
    graph.input("x", dtype, shape)
    graph.node("Neg", ["x"], ["y"])
    graph.output("y", dtype, shape)
    return graph


class Opened:
    """A model on a provider: compiled by the core, or a session of a real library."""

    session = ep = registered = None
    nodes = ()

    def __init__(self, api, ep, graph, options=None, **register):
        self.env = ort.Env("test", api)
        try:
            self.registered = self.env.register_ep(ep, **register)
            content = graph if isinstance(graph, bytes) else graph.to_bytes()
            if api.is_core:
                self._compile(ort.Model.load(content), options)
            else:
                self._open(api, content, options)
        except BaseException:
            self.close()  # the exception may be kept, and with it what its frames refer to
            raise

    def _compile(self, model, options):
        self.ep = ort.Ep(self.registered.devices, options)
        claims = self.ep.capability(model)
        assert claims.left == ()
        self.nodes = self.ep.compile(claims)
        self.outputs = [value.name for value in model.graph.outputs]

    def _open(self, api, content, options):
        config = {"session.disable_cpu_ep_fallback": "1"}
        with ort.SessionOptions(api, config=config, log_severity=4) as given:
            given.add_devices(self.registered.devices, options)
            self.session = ort.Session(content, given)

    def run(self, **inputs):
        if self.session is not None:
            return self.session.run(inputs)
        values = dict(inputs)
        for node in self.nodes:
            wanted = {n: values[n] for n in node.inputs if n and n not in node.constants}
            values |= zip(node.outputs, node(**wanted), strict=True)
        return [values[name] for name in self.outputs]

    def close(self):
        parts = (self.session, self.ep, self.registered, self.env)
        self.nodes, self.session = (), None  # which keep the registration
        for each in parts:
            if each is not None:
                each.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
