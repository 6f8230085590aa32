"""Rewrites the expressions of a file: annotations, names, constants, and calls by the rules of the other modules."""

from __future__ import annotations

from operator import attrgetter

import libcst as cst

import tfpy
from tfpy import legacy
from tfpy.legacy.migration.successors import snake, successor, table
from tfpy.migrate import arrays, maths, statements
from tfpy.migrate.eager import is_in_both, is_own
from tfpy.migrate.functions import arguments, called
from tfpy.migrate.graphs import Graphs
from tfpy.migrate.instances import instance_check
from tfpy.migrate.kind import UNSEEN, FunctionNode, Kind, ListOf
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.legacy_kinds import ARRAYS, BUILDERS, NEXT_COPY, SCALARS
from tfpy.migrate.none_checks import NoneChecks
from tfpy.migrate.padding import default_pad
from tfpy.migrate.pinning import is_write
from tfpy.migrate.scoped import Scoped
from tfpy.migrate.templates import CannotRewrite, bind, expression, fill
from tfpy.migrate.training import HELPER, Sessions
from tfpy.migrate.versions import plain


class ExpressionRewriter(Scoped, NoneChecks):
    """Rewrites expressions.

    Args:
        kinds: the kinds of the file's variables.
        graphs: the parts of its graphs.
        keep: names whose definitions must stay.

    Attributes:
        count: the number of rewritten constructs.
        failed: parts of the file whose graphs cannot be rewritten after all: where and why.
        helpers: helper functions that go at the top of the result.
    """

    def __init__(self, kinds: Kinds, graphs: Graphs, keep: set[statements.Place]) -> None:
        super().__init__()
        self.kinds = kinds
        self.variables = kinds.variables
        self.graphs = graphs
        self.keep = keep
        self.tf = kinds.variables.names.tf or ("tfpy" if "tf" in kinds.variables.names.bindings else "tf")
        self.sessions = Sessions(graphs, kinds, self.again, self._drops, self.tf)
        self.count = 0
        self.failed: dict[cst.CSTNode, tuple[cst.CSTNode, str]] = {}
        self.helpers: list[str] = []
        self._remarks: list[list[str]] = []
        self._frozen: set[cst.CSTNode] = set()
        self._called_here: set[cst.CSTNode] = set()

    def again(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """An expression of the script, rewritten for use in another place."""
        count = self.count
        result = node.visit(self)
        self.count = count
        assert isinstance(result, cst.BaseExpression)
        return result

    def _remark(self, reason: str) -> None:
        if self._remarks and reason not in self._remarks[-1]:
            self._remarks[-1].append(reason)

    def leave_Annotation(self, original_node: cst.Annotation, updated_node: cst.Annotation) -> cst.Annotation:
        return updated_node.with_deep_changes(updated_node, annotation=self._annotated(updated_node.annotation))

    def _annotated(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """An annotation with tensors in place of arrays."""
        path = self.variables.path(node)
        if path in ARRAYS or path == "Variable":
            return expression("tf.Variable" if path == "Variable" else "tf.Tensor", {}, {}, self.tf)
        if isinstance(node, cst.Subscript):
            items = [
                item.with_changes(slice=cst.Index(self._annotated(item.slice.value)))
                for item in node.slice
                if isinstance(item.slice, cst.Index)
            ]
            return node.with_changes(slice=items) if len(items) == len(node.slice) else node
        return node

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        if original_node not in self.graphs.symbols.operands or self.variables.graphs_stay:
            return updated_node
        return self._called(original_node, updated_node)

    def _called(self, original_node: cst.BaseExpression, updated_node: cst.BaseExpression) -> cst.Call:
        """A call of the function of a symbolic tensor, for an expression of the graph."""
        symbol = self.graphs.symbols.operands[original_node]
        return cst.Call(updated_node, [cst.Arg(cst.Name(plain(key[1]))) for key in symbol.placeholders])

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        if original_node in self._frozen:
            return updated_node
        if original_node in self.graphs.symbols.operands and not self.variables.graphs_stay:
            return self._called(original_node, updated_node)
        if self.kinds.of(original_node) == "placeholder" and not self.variables.graphs_stay:
            return updated_node.attr
        path = self.variables.path(original_node)
        if path is not None:
            return self._constant(path) or updated_node
        of_node = "node" in (self.kinds.of(original_node), self.kinds.of(original_node.value))
        if not self.variables.graphs_stay and of_node and original_node.attr.value in ("node", "data"):
            return updated_node.value
        if original_node not in self._called_here:
            return self._reference(original_node, updated_node)
        return updated_node

    def _reference(self, original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        """A method that is not called here but passed to a function; or the strides of an array."""
        owner, name = self.kinds.of(original.value), original.attr.value
        found = successor(str(owner), name) if owner in ("math", "array") else None
        if found is None:
            return updated
        text = arrays.REFERENCES.get(snake("array", name), found.function) if owner == "array" else found.function
        if not text:
            self._remark(found.reason or f"what {name} becomes depends on its arguments, which cannot be seen here")
            return updated
        self.count += 1
        return expression(text, {"a": updated.value}, {}, self.tf)

    def _constant(self, path: str) -> cst.BaseExpression | None:
        """A legacy name with a value or a function of the new API as its successor."""
        head, _, name = path.partition(".")
        text = None
        if head == "MatrixOrientation" and name:
            text = str(name == "TRANSPOSED")
        elif head == "Scalar" and name in SCALARS:
            text = f"tf.scalar({SCALARS[name]})"
        elif head in ("util", "test_util") and name and hasattr(getattr(tfpy, head), name):
            text = f"tf.{path}"
        elif not name and head[:1].islower() and hasattr(tfpy, head):
            text = f"tf.{head}" if is_in_both(head) else None
        if text is None:
            return None
        self.count += 1
        return expression(text, {}, {}, self.tf)

    def leave_Comparison(self, original_node: cst.Comparison, updated_node: cst.Comparison) -> cst.Comparison:
        """Arrays are equal only to themselves, while tensors are compared elementwise."""
        kinds = {self.kinds.of(n) for n in (original_node.left, *[c.comparator for c in original_node.comparisons])}
        equal = (cst.Equal, cst.NotEqual, cst.In, cst.NotIn)
        if kinds & {"array", ListOf("array")} and any(isinstance(c.operator, equal) for c in original_node.comparisons):
            self._remark("tensors are compared element by element; arrays were equal only to themselves (use `is`)")
        return updated_node

    def leave_FormattedString(
        self, original_node: cst.FormattedString, updated_node: cst.FormattedString
    ) -> cst.BaseExpression:
        return updated_node if updated_node.deep_equals(original_node) else statements.other_quotes(updated_node)

    def leave_Await(self, original_node: cst.Await, updated_node: cst.Await) -> cst.BaseExpression:
        """`await a.val(…)`, whose successor returns the number directly."""
        call = original_node.expression
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and call.func.attr.value == "val":
            return updated_node.expression if self.kinds.of(call.func.value) == "array" else updated_node
        return updated_node

    # Calls

    def visit_Call(self, node: cst.Call) -> None:
        self._called_here.add(node.func)
        if isinstance(node.func, cst.Name) and node.func.value == "bool" and len(node.args) == 1:
            self._ask(node.args[0].value)
        for function, method in called(self.kinds, node):
            for param, arg in arguments(function, node.args, method):
                if (function, param.name.value) in self.variables.pinned:
                    self._freeze(arg.value)

    def _freeze(self, node: cst.CSTNode) -> None:
        """Leave the calls whose results are arrays that are written to."""
        if isinstance(node, cst.Call) and self.kinds.of(node) in ("array", "ndarray"):
            self._frozen |= {node, node.func}
        for child in node.children:
            self._freeze(child)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        if original_node in self._frozen:
            return updated_node
        try:
            new = self._call(original_node, updated_node)
        except CannotRewrite as error:
            self._cannot(original_node, str(error))
            return updated_node
        self.count += new is not None
        return new if new is not None else updated_node

    def _cannot(self, node: cst.Call, reason: str) -> None:
        """Leave a call, and all graphs of its part of the file if the call concerns them."""
        owner = self.kinds.of(node.func.value) if isinstance(node.func, cst.Attribute) else None
        if owner in ("graph", "layers", "session", "builder") and not self.variables.graphs_stay:
            scopes = self.variables.scopes
            part = next((s for s in scopes if isinstance(s, (cst.FunctionDef, cst.ClassDef))), scopes[0])
            self.failed[part] = node, reason
        else:
            self._remark(reason)

    def _call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression | None:
        path = self.variables.path(original.func)
        if path is not None:
            return self._of_package(path, original, updated)
        if is_write(self.kinds, original):
            assert isinstance(original.func, cst.Attribute)
            raise CannotRewrite(table("array")[original.func.attr.value].reason)
        if isinstance(original.func, cst.Attribute) and isinstance(updated.func, cst.Attribute):
            return self._method(original, original.func, updated, updated.func)
        kind = self.kinds.of(original.func)
        if kind == "track" and len(updated.args) == 1:
            return updated.args[0].value
        if kind == "keep":
            return updated.with_changes(func=expression("tf.keep", {}, {}, self.tf))
        return instance_check(self.kinds, original, updated, self.tf) or self._without_maths(original, updated)

    def _of_package(self, path: str, original: cst.Call, updated: cst.Call) -> cst.BaseExpression | None:
        made = arrays.made(self.kinds, path, original, updated, self.tf)
        if made is not None:
            return made
        found = table("class").get(path)
        if found is not None and found.forms and not self.variables.graphs_stay:
            given = bind(found.parameters, updated.args)
            # An optimizer may reach a session that stays, and has `minimize` in both APIs; not if it has variables of
            # its own, which belong to a graph here.
            stays = path.endswith("Optimizer") and self.variables.staying and "specified_variable_list" not in given
            return None if stays else fill(found, given, self.tf)
        if path in BUILDERS and not self.variables.graphs_stay:
            return self._shuffled(updated)
        if is_own(path):
            method = successor("math", attrgetter(path)(legacy).__name__)
            if method is not None and method.forms:
                return fill(method, bind(method.parameters, updated.args), self.tf)
        if isinstance(original.func, cst.Name):
            same = self._constant(path)
            return updated.with_changes(func=same) if same is not None else None
        return None  # if both have the function, its name has been rewritten already

    def _shuffled(self, updated: cst.Call) -> cst.BaseExpression:
        if len(updated.args) != 1:
            raise CannotRewrite("the lists of examples are not given in one argument")
        if HELPER not in self.helpers:
            self.helpers.append(HELPER)
        lists = updated.args[0].value
        if isinstance(lists, (cst.List, cst.Tuple)):
            args = [cst.Arg(e.value) for e in lists.elements]
        else:
            args = [cst.Arg(lists, star="*")]
        return cst.Call(cst.Name("shuffled_together"), args)

    def _method(
        self, original: cst.Call, old: cst.Attribute, updated: cst.Call, new: cst.Attribute
    ) -> cst.BaseExpression | None:
        owner, name = self.kinds.of(old.value), old.attr.value
        if owner == "math":
            return maths.call(self.kinds, original, updated, self.tf)
        if owner in ("array", "mixed", *UNSEEN):
            plain = snake("array", name)
            found = table("array").get(plain)
            if found is not None and (owner == "array" or plain in arrays.ONLY_ARRAYS):
                if name == "add" and not is_write(self.kinds, original):
                    return None
                if not found.forms:
                    raise CannotRewrite(found.reason)
                return arrays.method(found, new.value, list(updated.args), self.tf)
            if owner == "mixed" and name == "get":
                raise CannotRewrite("this is an NDArray here and a tensor there")
            if name == "get" and all(self.kinds.of(arg.value) == "number" for arg in original.args):
                raise CannotRewrite("the type of this object is unknown; a tensor is read by array_sync()")
        if owner == "initializer" and name == "initialize":
            if len(updated.args) != 3:
                raise CannotRewrite("an initializer needs a shape, the inputs and the outputs")
            return self.sessions.initial(old.value, *[arg.value for arg in updated.args])
        if not self.variables.graphs_stay:
            changed = self._of_training(owner, snake("session", name), original, updated, new)
            if changed is not None:
                return changed
        return self._without_maths(original, updated)

    def _of_training(
        self, owner: Kind, name: str, original: cst.Call, updated: cst.Call, new: cst.Attribute
    ) -> cst.BaseExpression | None:
        """A method of a graph, a session or a provider."""
        if owner == "graph":
            return self._of_graph(snake("graph", name), original, updated)
        if owner == "session" and name in ("eval", "eval_all"):
            return self.sessions.eval(original, name)
        if owner == "session" and name == "train":
            step, remark = self.sessions.train(original, original not in self.kinds.unused)
            if remark:
                self._remark(remark)
            return step
        if owner == "builder":
            if name in ("get_input_providers", "getInputProviders"):
                return new.value
            if name not in ("get_input_provider", "getInputProvider"):
                raise CannotRewrite("lists of tensors replace builders, and have no counterpart of this")
            if len(updated.args) != 1:
                raise CannotRewrite("the number of the provider is not given")
            return expression("b[i]", {"b": new.value, "i": updated.args[0].value}, {}, self.tf)
        if owner == "provider" and name in NEXT_COPY:
            return expression("next(p)", {"p": new.value}, {}, self.tf)
        if owner == "provider" and name in ("dispose_copy", "disposeCopy") and updated.args:
            return expression("a.dispose()", {"a": updated.args[-1].value}, {}, self.tf)
        return None

    def _of_graph(self, name: str, original: cst.Call, updated: cst.Call) -> cst.BaseExpression | None:
        found = successor("graph", name)
        if found is None or not found.forms or name == "placeholder":
            return None
        given = bind(found.parameters, updated.args)
        if name in ("conv2d", "max_pool"):
            pad = default_pad(given)
            assert pad is not None
            given["zero_pad"] = pad
        return fill(found, given, self.tf)

    def _without_maths(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression | None:
        """A call of a function of the file, without the arguments that were removed from it."""
        dropped = {
            arg
            for function, method in called(self.kinds, original)
            for param, arg in arguments(function, original.args, method)
            if self._drops(function, param.name.value)
        }
        left = [new for old, new in zip(original.args, updated.args, strict=True) if old not in dropped]
        if len(left) == len(updated.args):
            return None
        if left:
            left[-1] = left[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated.with_changes(args=left)

    def _drops(self, function: FunctionNode, name: str) -> bool:
        """Whether a function loses a parameter."""
        kind = self.variables.known.get(function, {}).get(name)
        kept = {n for place, n in self.keep if isinstance(function, cst.Lambda) or place[-1:] == (function.name.value,)}
        return kind in maths.DROPPED and name not in kept and function not in self.variables.escaped
