"""The kinds of JavaScript's own literals, and of the results of its functions and methods."""

from __future__ import annotations

from tfpy.js2py.analysis.kind import (
    BOOL,
    BYTES,
    DATE,
    DICT,
    ERROR,
    FUNCTION,
    INDEX,
    LIST,
    NAMESPACE,
    NDARRAY,
    NULL,
    NUMBER,
    PARSER,
    STRING,
    TYPED_ARRAYS,
    Kind,
)

# The kinds of the results of methods of JavaScript's own objects; "same" is that of the object.
METHODS = {
    "map": "list", "filter": "same", "slice": "same", "concat": "same", "reverse": "same", "sort": "same",
    "fill": "same", "splice": "same", "flat": "list", "flatMap": "list", "join": "string", "indexOf": "number",
    "findIndex": "number", "lastIndexOf": "number", "includes": "bool", "some": "bool", "every": "bool",
    "pop": "item", "shift": "item",
    "find": "item", "at": "item", "push": "index", "toFixed": "string", "toString": "string", "trim": "string",
    "toUpperCase": "string", "toLowerCase": "string", "padStart": "string", "padEnd": "string", "repeat": "string",
    "substring": "string", "substr": "string", "charAt": "string", "charCodeAt": "index", "startsWith": "bool",
    "endsWith": "bool", "localeCompare": "number", "toPrecision": "string", "dataSync": "ndarray", "data": "ndarray",
    "getValues": "ndarray", "getTime": "number", "toISOString": "string",
    "toLocaleDateString": "string", "toLocaleTimeString": "string",
} | {
    f"get{zone}{part}": "index" for zone in ("", "UTC")
    for part in ("FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds", "Milliseconds")
}  # fmt: skip
CALLS = {
    "parseInt": NUMBER, "parseFloat": NUMBER, "Number": NUMBER, "String": STRING, "Boolean": BOOL,
    "Object.keys": Kind("list", STRING),
    "Object.assign": DICT, "Object.fromEntries": DICT,
    "Object.hasOwn": BOOL, "Object.is": BOOL, "JSON.stringify": STRING, "Array.isArray": BOOL,
    "Number.isInteger": BOOL, "Number.isFinite": BOOL, "Number.isNaN": BOOL, "isFinite": BOOL, "isNaN": BOOL,
    "Number.parseInt": NUMBER, "Number.parseFloat": NUMBER, "String.fromCharCode": STRING,
    "Date.now": NUMBER, "Date.UTC": NUMBER, "performance.now": NUMBER, "Array.of": LIST, "Array": LIST,
    "path.join": STRING, "path.resolve": STRING, "path.basename": STRING, "path.dirname": STRING,
    "path.extname": STRING, "fs.existsSync": BOOL, "fs.readdirSync": Kind("list", STRING), "process.cwd": STRING,
    "tf.util.createShuffledIndices": NDARRAY, **{f"{name}.from": NDARRAY for name in TYPED_ARRAYS},
}  # fmt: skip
NAMESPACES = {"Array", "JSON", "Math", "Number", "Object", "Promise", "Reflect", "String"}
NEW = {
    "Array": LIST, "Map": Kind("map"), "Set": Kind("set"), "Date": DATE, "Error": ERROR, "TypeError": ERROR,
    "RangeError": ERROR,
}  # fmt: skip
# The kinds of the results of methods of argument parsers, in snake_case.
OF_PARSERS = {
    "parse_args": NAMESPACE, "parse_known_args": Kind("list", NAMESPACE), "add_argument_group": PARSER,
    "add_mutually_exclusive_group": PARSER, "add_subparsers": PARSER, "add_parser": PARSER,
}  # fmt: skip
# The kinds of the items of iterables that are all alike, by the kind of the iterable.
ITEMS = {STRING: STRING, NDARRAY: NUMBER, BYTES: INDEX}
# Attributes of tfpy's objects that have no annotation.
ATTRIBUTES = {"layers": Kind("list", Kind("Layer"))}
SHAPES = {"shape", "inputShape", "batchInputShape", "outputShape"}
# The kinds of literals, by the type of the node.
LITERALS = {
    "string": STRING, "template_string": STRING, "true": BOOL, "false": BOOL, "null": NULL, "undefined": NULL,
    "object": DICT, "arrow_function": FUNCTION, "function_expression": FUNCTION, "generator_function": FUNCTION,
    "class": Kind("class"), "regex": Kind("regex"), "update_expression": NUMBER,
}  # fmt: skip
