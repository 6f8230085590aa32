"""JavaScript's own functions and methods, and their counterparts in Python.

In the templates `_0`, `_1`, … are the arguments; for a method, `_0` is the object that it is called on. The template
with the matching number of arguments is used.
"""

from __future__ import annotations

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "Math.abs": ("abs(_0)",),
    "Math.acos": ("math.acos(_0)",),
    "Math.acosh": ("math.acosh(_0)",),
    "Math.asin": ("math.asin(_0)",),
    "Math.asinh": ("math.asinh(_0)",),
    "Math.atan": ("math.atan(_0)",),
    "Math.atan2": ("math.atan2(_0, _1)",),
    "Math.atanh": ("math.atanh(_0)",),
    "Math.cbrt": ("math.cbrt(_0)",),
    "Math.ceil": ("math.ceil(_0)",),
    "Math.clz32": ("32 - (_0 % 2**32).bit_length()",),
    "Math.cos": ("math.cos(_0)",),
    "Math.cosh": ("math.cosh(_0)",),
    "Math.exp": ("math.exp(_0)",),
    "Math.expm1": ("math.expm1(_0)",),
    "Math.floor": ("math.floor(_0)",),
    "Math.fround": ("float(np.float32(_0))",),
    "Math.imul": ("(_0 * _1 + 2**31) % 2**32 - 2**31",),
    "Math.log": ("math.log(_0)",),
    "Math.log10": ("math.log10(_0)",),
    "Math.log1p": ("math.log1p(_0)",),
    "Math.log2": ("math.log2(_0)",),
    "Math.pow": ("_0 ** _1",),
    "Math.random": ("random.random()",),
    "Math.round": ("math.floor(_0 + 0.5)",),
    "Math.sign": ("(_0 > 0) - (_0 < 0)",),
    "Math.sin": ("math.sin(_0)",),
    "Math.sinh": ("math.sinh(_0)",),
    "Math.sqrt": ("math.sqrt(_0)",),
    "Math.tan": ("math.tan(_0)",),
    "Math.tanh": ("math.tanh(_0)",),
    "Math.trunc": ("math.trunc(_0)",),
    "Array.isArray": ("isinstance(_0, (list, tuple))",),
    "Object.prototype.hasOwnProperty.call": ("_1 in _0",),
    "Object.hasOwn": ("_1 in _0",),
    "Object.keys": ("list(_0)",),
    "Object.values": ("list(_0.values())",),
    "Object.entries": ("list(_0.items())",),
    "Object.fromEntries": ("dict(_0)",),
    "Object.freeze": ("_0",),
    "JSON.parse": ("json.loads(_0)",),
    "JSON.stringify": ("json.dumps(_0, indent=_2)", "json.dumps(_0)"),
    "Number.isInteger": ("float(_0).is_integer()",),
    "Number.isFinite": ("math.isfinite(_0)",),
    "Number.isNaN": ("math.isnan(_0)",),
    "Number.parseFloat": ("float(_0)",),
    "Number.parseInt": ("int(_0, _1)", "int(_0)"),
    "isFinite": ("math.isfinite(_0)",),
    "isNaN": ("math.isnan(_0)",),
    "parseFloat": ("float(_0)",),
    "parseInt": ("int(_0, _1)", "int(_0)"),
    "Number": ("float(_0)",),
    "String": ("str(_0)",),
    "Date.now": ("time.time() * 1000",),
    "performance.now": ("time.perf_counter() * 1000",),
    "structuredClone": ("copy.deepcopy(_0)",),
}
# The functions among these that return the parts of an object.
OF_OBJECTS = {"Object.keys", "Object.values", "Object.entries"}

LISTS: dict[str, tuple[str, ...]] = {
    "push": ("_0.append(_1)",),
    "pop": ("_0.pop()",),
    "shift": ("_0.pop(0)",),
    "unshift": ("_0.insert(0, _1)",),
    "slice": ("_0[_1:_2]", "_0[_1:]", "_0[:]"),
    "concat": ("_0 + _1",),
    "join": ("_1.join(map(str, _0))", '",".join(map(str, _0))'),
    "indexOf": ("_0.index(_1) if _1 in _0 else -1",),
    "includes": ("_1 in _0",),
    "reverse": ("_0[::-1]",),
    "fill": ("[_1] * len(_0)",),
    "at": ("_0[_1]",),
    "flat": ("[item for part in _0 for item in part]",),
    "keys": ("range(len(_0))",),
    "entries": ("enumerate(_0)",),
    "values": ("_0",),
    "toString": ('",".join(map(str, _0))',),
}
NDARRAYS: dict[str, tuple[str, ...]] = {
    "slice": ("_0[_1:_2].copy()", "_0[_1:].copy()", "_0.copy()"),
    "subarray": ("_0[_1:_2]", "_0[_1:]", "_0"),
    "fill": ("_0.fill(_1)",),
    "join": ("_1.join(map(str, _0.tolist()))", '",".join(map(str, _0.tolist()))'),
    "includes": ("_1 in _0",),
    "indexOf": ("list(_0).index(_1) if _1 in _0 else -1",),
    "reverse": ("_0[::-1]",),
    "at": ("_0[_1]",),
    "toString": ('",".join(map(str, _0.tolist()))',),
}
TEXTS: dict[str, tuple[str, ...]] = {
    "charAt": ("_0[_1:_1 + 1]",),
    "charCodeAt": ("ord(_0[_1])", "ord(_0[0])"),
    "codePointAt": ("ord(_0[_1])", "ord(_0[0])"),
    "concat": ("_0 + _1",),
    "endsWith": ("_0.endswith(_1)",),
    "includes": ("_1 in _0",),
    "indexOf": ("_0.find(_1, _2)", "_0.find(_1)"),
    "lastIndexOf": ("_0.rfind(_1)",),
    "padEnd": ("_0.ljust(_1, _2)", "_0.ljust(_1)"),
    "padStart": ("_0.rjust(_1, _2)", "_0.rjust(_1)"),
    "repeat": ("_0 * _1",),
    "replace": ("_0.replace(_1, _2, 1)",),
    "replaceAll": ("_0.replace(_1, _2)",),
    "slice": ("_0[_1:_2]", "_0[_1:]"),
    "split": ("_0.split(_1)", "[_0]"),
    "startsWith": ("_0.startswith(_1)",),
    "substr": ("_0[_1:_1 + _2]", "_0[_1:]"),
    "substring": ("_0[_1:_2]", "_0[_1:]"),
    "at": ("_0[_1]",),
    "toLowerCase": ("_0.lower()",),
    "toUpperCase": ("_0.upper()",),
    "toString": ("_0",),
    "trim": ("_0.strip()",),
    "trimEnd": ("_0.rstrip()",),
    "trimStart": ("_0.lstrip()",),
    "valueOf": ("_0",),
}
# Methods of strings again, for arguments that must be evaluated once, such as `i++`.
ONCE: dict[str, tuple[str, ...]] = {"charAt": ("_0[_1:][:1]",), "substr": ("_0[_1:][:_2]", "_0[_1:]")}
NUMBERS: dict[str, tuple[str, ...]] = {
    "toString": ("str(_0)",),
    "toLocaleString": ('f"{_0:,}"',),
    "valueOf": ("_0",),
}
MAPS: dict[str, tuple[str, ...]] = {
    "get": ("_0.get(_1)",),
    "has": ("_1 in _0",),
    "delete": ("_0.pop(_1, None)",),
    "clear": ("_0.clear()",),
    "keys": ("_0.keys()",),
    "values": ("_0.values()",),
    "entries": ("_0.items()",),
}
SETS: dict[str, tuple[str, ...]] = {
    "add": ("_0.add(_1)",),
    "has": ("_1 in _0",),
    "delete": ("_0.discard(_1)",),
    "clear": ("_0.clear()",),
    "values": ("_0",),
}
_PARTS_OF_DATES = {
    "FullYear": "_0.year",
    "Month": "_0.month - 1",
    "Date": "_0.day",
    "Day": "_0.isoweekday() % 7",
    "Hours": "_0.hour",
    "Minutes": "_0.minute",
    "Seconds": "_0.second",
    "Milliseconds": "_0.microsecond // 1000",
}
DATES: dict[str, tuple[str, ...]] = {
    "getTime": ("_0.timestamp() * 1000",),
    "valueOf": ("_0.timestamp() * 1000",),
    **{f"get{name}": (part,) for name, part in _PARTS_OF_DATES.items()},
    **{f"getUTC{name}": (part.replace("_0", "_0.astimezone(datetime.UTC)"),) for name, part in _PARTS_OF_DATES.items()},
    "toISOString": ('_0.astimezone(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")',),
    "toLocaleDateString": ('_0.strftime("%x")',),
    "toLocaleTimeString": ('_0.strftime("%X")',),
    "toLocaleString": ('_0.strftime("%c")',),
}
BYTES: dict[str, tuple[str, ...]] = {
    "includes": ("_1 in _0",),
    "indexOf": ("_0.find(_1)",),
    "slice": ("_0[_1:_2]", "_0[_1:]", "_0[:]"),
    "subarray": ("_0[_1:_2]", "_0[_1:]", "_0[:]"),
    "toString": ("_0.decode(_1)", "_0.decode()"),
    "readInt8": ('int.from_bytes(_0[_1:_1 + 1], "big", signed=True)',),
    "readUInt8": ("_0[_1]",),
    **{
        f"read{name}{end}": (f'int.from_bytes(_0[_1:_1 + {size}], "{order}", signed={name.startswith("Int")})',)
        for name, size in {"Int16": 2, "UInt16": 2, "Int32": 4, "UInt32": 4}.items()
        for end, order in {"LE": "little", "BE": "big"}.items()
    },
}
DICTS: dict[str, tuple[str, ...]] = {"hasOwnProperty": ("_1 in _0",)}

BY_KIND: dict[str, dict[str, tuple[str, ...]]] = {
    "list": LISTS, "ndarray": NDARRAYS, "string": TEXTS, "number": NUMBERS, "index": NUMBERS, "map": MAPS, "set": SETS,
    "dict": DICTS, "date": DATES, "bytes": BYTES,
}  # fmt: skip
# On objects of unknown kind these are assumed to be methods of lists, strings and dates: tfpy has no methods with their
# names and arguments.
UNKNOWN: dict[str, tuple[str, ...]] = {
    name: TEXTS[name]
    for name in (
        "charAt", "charCodeAt", "endsWith", "padEnd", "padStart", "repeat", "split", "startsWith", "substr",
        "substring", "toLowerCase", "toUpperCase", "trim", "replaceAll", "includes",
    )
} | {name: LISTS[name] for name in ("push", "shift", "unshift", "join", "flat")} | {
    "toString": ("str(_0)",), "valueOf": ("_0",),
    "subarray": NDARRAYS["subarray"], "hasOwnProperty": ("_1 in _0",), "has": ("_1 in _0",),
    "indexOf": ("_0.index(_1) if _1 in _0 else -1",), "pop": ("_0.pop()",),
    **{name: template for name, template in DATES.items() if name not in ("valueOf", "toLocaleString")},
}  # fmt: skip
