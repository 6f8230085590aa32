"""Control ops: inputs and constants, branches and loops, lists, arrays and tables."""

from __future__ import annotations

from typing import Any

from tfpy.core.io.errors import ModelFileError
from tfpy.core.ops.create import scalar
from tfpy.core.ops.join import split, unstack
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.engine.printable import put
from tfpy.engine.scope import trim_scope
from tfpy.engine.state import refuse_plan
from tfpy.graph.lists import HashTable, TensorArray, TensorList, element_shape, merge_shapes
from tfpy.graph.mappers import Call, maps


@maps("Const")
def _const(call: Call) -> Any:
    return call.run.constant(call.node)


@maps("Placeholder")
def _placeholder(call: Call) -> Any:
    raise argument_error("execute", call.node.name, "given", None)


@maps(
    "Enter Exit FakeQuantWithMinMaxVars Identity LoopCond NextIteration PlaceholderWithDefault RefEnter RefExit "
    "RefNextIteration Snapshot StopGradient"
)
def _identity(call: Call) -> Any:
    return call.value(0)


@maps("IdentityN")
def _identity_n(call: Call) -> Any:
    return list(call.values)


@maps("NoOp")
def _no_op(call: Call) -> Any:
    return scalar(1)


@maps("Print")
def _print(call: Call) -> Any:
    refuse_plan("Print")
    put(call.attrs.text("message"), *(t.data_sync()[: call.attrs.number("summarize", 3)] for t in call.values[1:]))
    return call.value(0)


# Branches and loops


@maps("Switch RefSwitch", outputs="output_false output_true")
def _switch(call: Call) -> Any:
    return [None, call.value(0)] if call.number(1) else [call.value(0), None]


@maps("Merge RefMerge", outputs="output value_index")
def _merge(call: Call) -> Any:
    index, value = next(((i, value) for i, value in enumerate(call.values) if value is not None), (0, None))
    if value is None:
        raise ModelFileError(f"{call.node.label}: has no input that it can pass on.")
    return [value, scalar(index, "int32")]


@maps("If StatelessIf")
def _if(call: Call) -> Any:
    branch = "then_branch" if call.number(0) else "else_branch"
    return call.run.call_function(call.node, call.attrs.function(branch), call.values[1:])


@maps("While StatelessWhile")
def _while(call: Call) -> Any:
    condition, body = call.attrs.function("cond"), call.attrs.function("body")
    state = list(call.values)
    while _true(call, call.run.call_function(call.node, condition, state)):
        state = call.run.call_function(call.node, body, state)
        trim_scope()  # a loop may take any number of turns
    return state


def _true(call: Call, results: list[Any]) -> bool:
    if len(results) != 1:
        raise ModelFileError(f"{call.node.label}: its condition must have one result, but has {len(results)}.")
    return bool(results[0].data_sync()[0])


@maps("PartitionedCall StatefulPartitionedCall")
def _partitioned_call(call: Call) -> Any:
    return call.run.call_function(call.node, call.attrs.function("f"), call.values)


# Lists


def _list(call: Call) -> TensorList:
    value = call.value(0)
    if not isinstance(value, TensorList):
        raise argument_error(call.node.label, "input 0", "a list of tensors", value, TypeError)
    return value


@maps("EmptyTensorList")
def _empty_list(call: Call) -> Any:
    return TensorList([], element_shape(call.numbers(0)), call.attrs.dtype("element_dtype"), int(call.number(1)))


@maps("TensorListReserve")
def _reserve(call: Call) -> Any:
    count = int(call.number(1))
    return TensorList([None] * max(count, 0), element_shape(call.numbers(0)), call.attrs.dtype("element_dtype"))


@maps("TensorListFromTensor")
def _from_tensor(call: Call) -> Any:
    tensor = call.tensor(0)
    if tensor.rank < 1:
        raise argument_error(call.node.label, "tensor", "of rank 1 or more", tensor)
    shape = element_shape(call.numbers(1))
    merge_shapes(call.node.label, shape, tensor.shape[1:])
    return TensorList(unstack(tensor), shape, tensor.dtype)


def _numbered(call: Call, tensor: int, indices: int) -> list[tuple[int, Tensor]]:
    """The parts of an input along its first axis, each with its index, which another input holds."""
    values, numbers = call.tensor(tensor), call.sizes(indices)
    if values.rank < 1 or len(numbers) != values.shape[0]:
        expected = f"as many as there are tensors in one of shape {list(values.shape)}"
        raise argument_error(call.node.label, "indices", expected, numbers)
    return list(zip(numbers, unstack(values), strict=True))


@maps("TensorListScatter TensorListScatterV2")
def _scatter(call: Call) -> Any:
    items = _numbered(call, 0, 1)
    count = int(call.number(3)) if len(call.values) > 3 else -1
    made = TensorList([None] * max(count, 0), element_shape(call.numbers(2)), call.tensor(0).dtype, count)
    return made.with_items(call.node.label, items)


@maps("TensorListScatterIntoExistingList")
def _scatter_into(call: Call) -> Any:
    return _list(call).with_items(call.node.label, _numbered(call, 1, 2))


@maps("TensorListSplit")
def _split_list(call: Call) -> Any:
    tensor, lengths = call.tensor(0), call.sizes(2)
    shape = element_shape(call.numbers(1))
    return TensorList(split(tensor, lengths, 0), None if shape is None else (-1, *shape[1:]), tensor.dtype)


@maps("TensorListGetItem")
def _get_item(call: Call) -> Any:
    return _list(call).item(call.node.label, int(call.number(1)), element_shape(call.numbers(2)))


@maps("TensorListSetItem")
def _set_item(call: Call) -> Any:
    return _list(call).with_items(call.node.label, [(int(call.number(1)), call.tensor(2))])


@maps("TensorListGather")
def _gather_list(call: Call) -> Any:
    return _list(call).stacked(call.node.label, element_shape(call.numbers(2)), call.sizes(1))


@maps("TensorListStack")
def _stack_list(call: Call) -> Any:
    found = _list(call)
    count = call.attrs.number("num_elements", -1)
    if count not in (-1, len(found.items)):
        raise argument_error(call.node.label, "num_elements", f"{len(found.items)}, the number of tensors", count)
    return found.stacked(call.node.label, element_shape(call.numbers(1)))


@maps("TensorListConcat TensorListConcatV2", outputs="tensor lengths")
def _concat_list(call: Call) -> Any:
    return _list(call).joined(call.node.label, call.attrs.shape("element_shape"))


@maps("TensorListPushBack")
def _push(call: Call) -> Any:
    return _list(call).pushed(call.node.label, call.tensor(1))


@maps("TensorListPopBack", outputs="output_handle tensor")
def _pop(call: Call) -> Any:
    return list(_list(call).popped(call.node.label, element_shape(call.numbers(1))))


@maps("TensorListLength")
def _length(call: Call) -> Any:
    return scalar(len(_list(call).items), "int32")


@maps("TensorListResize")
def _resize(call: Call) -> Any:
    return _list(call).resized(int(call.number(1)))


# Arrays


def _array(call: Call) -> TensorArray:
    value = call.value(0)
    if not isinstance(value, TensorArray):
        raise argument_error(call.node.label, "input 0", "an array of tensors", value, TypeError)
    return value


@maps("TensorArrayV3", outputs="handle flow")
def _make_array(call: Call) -> Any:
    attrs = call.attrs
    array = TensorArray(
        attrs.text("tensor_array_name") or call.node.name,
        attrs.dtype("dtype"),
        int(call.number(0)),
        attrs.shape("element_shape"),
        attrs.flag("dynamic_size"),
        attrs.flag("clear_after_read", True),
    )
    return [array, scalar(1)]


@maps("TensorArrayWriteV3")
def _write(call: Call) -> Any:
    _array(call).write(call.node.label, int(call.number(1)), call.tensor(2))
    return scalar(1)


@maps("TensorArrayReadV3")
def _read(call: Call) -> Any:
    return _array(call).read(call.node.label, int(call.number(1)))


@maps("TensorArrayGatherV3")
def _gather_array(call: Call) -> Any:
    return _array(call).gather(call.node.label, call.sizes(1))


@maps("TensorArrayScatterV3")
def _scatter_array(call: Call) -> Any:
    for index, item in _numbered(call, 2, 1):
        _array(call).write(call.node.label, index, item)
    return scalar(1)


@maps("TensorArraySplitV3")
def _split_array(call: Call) -> Any:
    for index, item in enumerate(split(call.tensor(1), call.sizes(2), 0)):
        _array(call).write(call.node.label, index, item)
    return scalar(1)


@maps("TensorArrayConcatV3", outputs="value lengths")
def _concat_array(call: Call) -> Any:
    return _array(call).joined(call.node.label)


@maps("TensorArraySizeV3")
def _array_size(call: Call) -> Any:
    return scalar(len(_array(call)), "int32")


@maps("TensorArrayCloseV3")
def _close(call: Call) -> Any:
    _array(call).close()
    return scalar(1)


# Tables


@maps("HashTable HashTableV2")
def _make_table(call: Call) -> Any:
    tables = call.run.resources.tables
    name = call.attrs.text("shared_name") or call.node.name
    if name not in tables:
        tables[name] = HashTable(call.attrs.dtype("key_dtype"), call.attrs.dtype("value_dtype"))
    return tables[name]


def _table(call: Call) -> HashTable:
    """The table that an op reads or fills: its contents may change between runs, which a plan would not see."""
    refuse_plan("a hash table")
    value = call.value(0)
    if not isinstance(value, HashTable):
        raise argument_error(call.node.label, "input 0", "a hash table", value, TypeError)
    return value


@maps("InitializeTable InitializeTableV2 LookupTableImport LookupTableImportV2")
def _fill_table(call: Call) -> Any:
    _table(call).fill(call.node.label, call.tensor(1), call.tensor(2))
    return call.value(0)


@maps("LookupTableFind LookupTableFindV2")
def _find(call: Call) -> Any:
    return _table(call).find(call.node.label, call.tensor(1), call.tensor(2))


@maps("LookupTableSize LookupTableSizeV2")
def _table_size(call: Call) -> Any:
    return scalar(len(_table(call)), "int32")
