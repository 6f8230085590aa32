"""Sessions: their evaluations become function calls, their training steps `optimizer.minimize`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from tfpy.legacy.graphs.initializers import VarianceScalingInitializer
from tfpy.legacy.migration.successors import parameters, successor, table
from tfpy.migrate.feeds import Feed
from tfpy.migrate.graphs import Graphs
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.names import dotted
from tfpy.migrate.providers import own_parameters
from tfpy.migrate.symbols import activation_of
from tfpy.migrate.templates import CannotRewrite, Given, bind, expression, fill
from tfpy.migrate.variables import Key

Again = Callable[[cst.BaseExpression], cst.BaseExpression]
Drops = Callable[[cst.FunctionDef, str], bool]

_REMARKS = {
    "NONE": "session.train returned 0 here; this is the mean cost",
    "?": "the cost reduction is chosen while the script runs; this is the mean cost",
}
HELPER = '''
def shuffled_together(*lists):
    """Endless iterators over lists of examples, all in the same random order."""
    order = {tf}.util.create_shuffled_indices(len(lists[0]))

    def endless(examples):
        while True:
            yield from (examples[i] for i in order)

    return [endless(examples) for examples in lists]
'''


def call(function: str, args: Sequence[cst.BaseExpression]) -> cst.Call:
    """A call of a function by name."""
    return cst.Call(cst.parse_expression(function), [cst.Arg(a) for a in args])


class Sessions:
    """Rewrites the calls of sessions.

    Args:
        graphs: the graphs of the file.
        kinds: the kinds of the file's variables.
        again: returns an expression of the script, rewritten.
        drops: whether a function loses a parameter.
        tf: the name of the new API.
    """

    def __init__(self, graphs: Graphs, kinds: Kinds, again: Again, drops: Drops, tf: str) -> None:
        self.graphs = graphs
        self.kinds = kinds
        self.variables = kinds.variables
        self.again = again
        self.drops = drops
        self.tf = tf

    def eval(self, node: cst.Call, name: str) -> cst.BaseExpression:
        """`session.eval` and `session.eval_all`."""
        tensors, feeds, _ = self.graphs.call(node, name)
        values = [self._value(tensor, feeds) for tensor in tensors]
        return values[0] if name == "eval" else cst.List([cst.Element(v) for v in values])

    def _value(self, tensor: cst.BaseExpression, feeds: dict[Key, Feed]) -> cst.BaseExpression:
        if self.kinds.of(tensor) in ("variable", "constant"):
            return expression("v.clone()", {"v": self.again(tensor)}, {}, self.tf)
        key = self.variables.key(tensor)
        assert key is not None
        symbols = self.graphs.symbols
        data = [self._data(feeds[p]) for p in symbols.depends(key)]
        return call(symbols.named[key].name, data) if key in symbols.named else data[0]

    def _data(self, feed: Feed) -> cst.BaseExpression:
        """The data of a feed for one example."""
        value = cst.parse_expression(feed.place) if feed.place else self.again(feed.value)
        method = feed.next_copy
        if method is not None:
            if any(self._needs(found) for found in self.variables.methods[method]):
                raise CannotRewrite(f"{method} of the provider still needs the math")
            return expression(f"v.{method}()", {"v": value}, {}, self.tf)
        return call("next", [value]) if feed.kind == "provider" else value

    def _needs(self, method: cst.FunctionDef) -> bool:
        """Whether a method has required arguments."""
        required = [p.name.value for p in own_parameters(method) if p.default is None]
        return not all(self.drops(method, name) for name in required)

    def train(self, node: cst.Call, used: bool) -> tuple[cst.BaseExpression, str]:
        """`session.train`: the step, and a remark on it if there is one.

        Args:
            node: the call.
            used: whether the script uses its result.
        """
        (cost,), feeds, given = self.graphs.call(node, "train")
        optimizer, size = given["optimizer"], self.again(given["batch_size"])
        parts: Given = {"cost": self._value(cost, feeds), "n": size, "optimizer": self.again(optimizer)}
        one = isinstance(size, cst.Integer) and size.value == "1"
        mean = "tf.mean(cost)" if one else "tf.mean(tf.stack([cost for _ in range(n)]))"
        variables = self._variables(optimizer)
        extra = ""
        if variables is not None:
            parts["chosen"] = variables
            extra = ", var_list=chosen"
        reduction = self._reduction(given.get("cost_reduction"))
        text = f"optimizer.minimize(lambda: {mean}{', True' if used else ''}{extra})"
        if used and reduction == "SUM":
            text = f"tf.mul({text}, n)"
        return expression(text, parts, {}, self.tf), _REMARKS.get(reduction, "") if used else ""

    def _variables(self, optimizer: cst.BaseExpression) -> cst.BaseExpression | None:
        chosen = self.graphs.trained.get(self.variables.key(optimizer))
        if chosen is None and isinstance(optimizer, cst.Call):
            found = successor("class", self.variables.path(optimizer.func) or "")
            chosen = bind(found.parameters, optimizer.args).get("specified_variable_list") if found else None
        return None if chosen is None else self.again(chosen)

    def _reduction(self, node: cst.BaseExpression | None) -> str:
        if node is None:
            return "NONE"
        path = self.variables.path(node) or ""
        return path.partition(".")[2] if path.startswith("CostReduction.") else "?"

    def dense(self, name: str, node: cst.Call) -> tuple[list[cst.SimpleStatementLine], cst.BaseExpression]:
        """`graph.layers.dense`: the statements that create its variables, and its value."""
        found = successor("layers", "dense")
        assert found is not None
        given = bind(found.parameters, node.args)
        _, size = self.graphs.symbols.dependencies(given["x"], top=False)
        assert size is not None
        inputs, units = self.again(size), self.again(given["units"])
        kernel = self.initial(given.get("kernel_initializer"), [inputs, units], inputs, units)
        lines = [_assign(f"{name}_weights", expression("tf.variable(v)", {"v": kernel}, {}, self.tf))]
        text = "tf.dot(x, weights)"
        use_bias = given.get("use_bias")
        if not (isinstance(use_bias, cst.Name) and use_bias.value == "False"):
            start = given.get("bias_initializer") or cst.parse_expression("ZerosInitializer()")
            bias = self.initial(start, [units], inputs, units)
            lines.append(_assign(f"{name}_bias", expression("tf.variable(v)", {"v": bias}, {}, self.tf)))
            text = f"tf.add({text}, bias)"
        activation = activation_of(given.get("activation"), self.kinds)
        if activation is not None:
            operation = successor("graph", activation)
            assert operation is not None
            text = operation.text.replace("(x", f"({text}").replace(", alpha", "")
        parts: Given = {
            "x": self.again(given["x"]),
            "weights": cst.parse_expression(f"{name}_weights"),
            "bias": cst.parse_expression(f"{name}_bias"),
        }
        return lines, expression(text, parts, {}, self.tf)

    def initial(
        self,
        node: cst.BaseExpression | None,
        shape: Sequence[cst.BaseExpression] | cst.BaseExpression,
        inputs: cst.BaseExpression,
        units: cst.BaseExpression,
    ) -> cst.BaseExpression:
        """The value of an initializer that is created in place."""
        if not isinstance(shape, cst.BaseExpression):
            shape = cst.List([cst.Element(s) for s in shape])
        path = "VarianceScalingInitializer"
        args: Sequence[cst.Arg] = []
        if isinstance(node, cst.Call):
            path = self.variables.path(node.func) or dotted(node.func) or ""
            args = node.args
        found = table("initializer").get(path)
        if found is not None:
            given = {k: self.again(v) for k, v in bind(found.parameters, args).items()}
            return fill(found, {**given, "shape": shape}, self.tf)
        if path != "VarianceScalingInitializer":
            raise CannotRewrite("the initializer is user-defined")
        given = bind(parameters(VarianceScalingInitializer), args)
        fans = {"'fan_in'": "inputs", "'fan_out'": "units", "'fan_avg'": "((inputs + units) / 2)"}
        mode = _text(given.get("mode"), "'fan_in'")
        text = f"(scale / {fans[mode]}) ** 0.5"
        uniform = _text(given.get("distribution"), "'normal'") == "'uniform'"
        form = f"tf.random_uniform(shape, -(3 * {text[1:]}, (3 * {text[1:]})" if uniform else ""
        form = form or f"tf.truncated_normal(shape, 0, {text})"
        scale = self.again(given["scale"]) if "scale" in given else cst.Integer("1")
        return expression(form, {"shape": shape, "scale": scale, "inputs": inputs, "units": units}, {}, self.tf)


def _text(node: cst.BaseExpression | None, default: str) -> str:
    if node is None:
        return default
    if not isinstance(node, cst.SimpleString):
        raise CannotRewrite("the initializer's options are not literals here")
    return repr(node.evaluated_value)


def _assign(name: str, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    target = cst.ensure_type(cst.parse_expression(name), cst.BaseAssignTargetExpression)  # type: ignore[type-abstract]
    return cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(target)], value)])
