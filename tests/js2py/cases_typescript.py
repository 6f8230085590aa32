"""Scripts in TypeScript, and the expected Python."""

from __future__ import annotations

# Name: (script, expected Python).
TYPESCRIPT = {
    "types of an awaited call": (
        """
async function f(x: tf.Tensor) { return await x.data<'int32'>(); }
""",
        """
def f(x):
    return x.data_sync()
""",
    ),
    "enums": (
        """
enum Color { Red, Green = 5, Blue }
enum Mode { Train = 'train', "fooBar" = 1, None }
f(Mode.Train, Mode["fooBar"], Mode.fooBar, Mode.None);
""",
        """
class Color:
    Red = 0
    Green = 5
    Blue = 6


class Mode:
    Train = "train"
    foo_bar = 1
    None_ = 2


f(Mode.Train, Mode.foo_bar, Mode.foo_bar, Mode.None_)
""",
    ),
    "enum with a name that Python cannot have": (
        """
enum E { "a-b" = 1 }
""",
        """
# js2py: the name of the enum's value 'a-b' has no counterpart
#     enum E { "a-b" = 1 }
raise NotImplementedError(
    "line 2: the name of the enum's value 'a-b' has no counterpart"
)
""",
    ),
    "imported and exported types": (
        """
import type {A} from './a';
import {B, type C, make} from './b';
import {D} from 'some-package';
export type {A} from './a';
export {type B} from './b';
let x: B;
export const f = (c: C, d: D): A => make(c as unknown as D);
""",
        """
from b import make

x = None


def f(c, d):
    return make(c)
""",
    ),
    "interfaces are dicts, unless classes have them": (
        """
interface Size { width: number; inputs?: number[]; }
interface Named { name: string; }
interface Walker { step(): void; dtype: string; }
class Person implements Named { constructor(public name: string, private size: Size, sizes: Size[]) {
  f(size.width, sizes[0].inputs, this.size.width); } }
function g(size: Size|null, named: Named, walker: Walker): Size { return h(size.inputs, named.name, walker.dtype); }
f(g(a, b, c).width, (load() as unknown as Size).inputs, (x as Size[])[0].inputs);
""",
        """
class Person:
    def __init__(self, name, size, sizes):
        self.name = name
        self.size = size
        f(size["width"], sizes[0].get("inputs"), self.size["width"])


def g(size, named, walker):
    return h(size.get("inputs"), named.name, walker.dtype)


f(g(a, b, c)["width"], load().get("inputs"), x[0].get("inputs"))
""",
    ),
    "optional parameters": (
        """
export function scaled(values: number[], by?: number) { return values; }
const init = (shape: number[], seed?: number) => shape.length;
""",
        """
def scaled(values, by=None):
    return values


def init(shape, seed=None):
    return len(shape)
""",
    ),
    "imports under other names": (
        """
import {model, tensor1d, util} from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
const layer = tfl.layers.dense({units: 1});
const shown = {sparse: 1, dtype: 2};
f(layer.sparse, tensor1d([1]).dtype, new tfl.Sequential().sparse);
const makeConv2D = (x: string) => g(x), makeConv2DTranspose = 1;
""",
        """
import tfpy as tf

layer = tf.layers.dense(units=1)
shown = {"sparse": 1, "dtype": 2}
f(layer.sparse, tf.tensor1d([1]).dtype, tf.Sequential().sparse)


def make_conv2d(x):
    return g(x)


make_conv2d_transpose = 1
""",
    ),
    "maps and abstract classes": (
        """
const m: Map<string, number[]> = load();
m.set('x', [1]);
abstract class Base { abstract run(): number; two() { return 2; } }
""",
        """
m = load()
m["x"] = [1]


class Base:
    def two(self):
        return 2
""",
    ),
    "types tell dicts from instances": (
        """
type Part = {id: number, size: number};
type Scored = {score: number, part: Part};
class Model { constructor(public readonly id: number) {} }
class Heap<T> { private items: T[] = []; pop(): T { return this.items.pop(); } all(): T[] { return this.items; } }
function make(): Heap<Scored> { return new Heap<Scored>(); }
function go(model: Model, heap: Heap<Scored>, found: Array<{part: Part}>) {
  const {part: own, score} = heap.pop();
  f(model.id, make().pop().part.id, own.size, found[0].part.id, found.some(({part}) => part.id > score));
  for (const {part} of heap.all()) f(part.id, heap.all().map(one => one.part.size));
}
""",
        """
class Model:
    def __init__(self, id_):
        self.id = id_


class Heap:
    def __init__(self):
        self.items = []

    def pop(self):
        return self.items.pop()

    def all(self):
        return self.items


def make():
    return Heap()


def go(model, heap, found):
    parts = heap.pop()
    own = parts["part"]
    score = parts["score"]
    f(
        model.id,
        make().pop()["part"]["id"],
        own["size"],
        found[0]["part"]["id"],
        any(item["part"]["id"] > score for item in found),
    )
    for item in heap.all():
        part = item["part"]
        f(part["id"], [one["part"]["size"] for one in heap.all()])
""",
    ),
    "variable assigned from itself": (
        "for (var x of x.kids) f(x.a);",
        """
for x in x["kids"]:
    f(x["a"])
""",
    ),
    "keys named like attributes of tfpy": (
        """
type Name = string;
interface Item { size: number; shape: number[]; name?: Name }
interface Box extends Item { weights: Record<Name, number[]>; at: Map<Name, Item> }
type Items = Item[];
type Either = {kind: 'item', units: number} | {kind: 'box', layers: string[]};
interface Store { [key: string]: Item }
function f(box: Box, items: Items, store: Store, either: Either, some: Partial<Item>, all: Set<Item>, mode: 'a' | 'b') {
  g(box.size, box.weights.a.join(), box.at.get('x').shape, items[0].name, store[mode].size, store.x.size, some.size);
  for (const [name, {size}] of box.at) g(name + size);
  for (const [name, item] of Object.entries(store)) g(name + item.size, item.name);
  box.at.forEach((item, name) => g(name.trim(), item.shape));
  for (const item of [...all, ...Object.values(store), ...box.at.values()]) g(item.shape.concat([1]));
  if (either.kind === 'item') g(either.units); else g(either.layers.join('-'));
  return mode + 1;
}
""",
        """
def f(box, items, store, either, some, all_, mode):
    g(
        box["size"],
        ",".join(map(str, box["weights"]["a"])),
        box["at"].get("x")["shape"],
        items[0].get("name"),
        store[mode]["size"],
        store["x"]["size"],
        some.get("size"),
    )
    for name, part in box["at"].items():
        size = part["size"]
        g(f"{name}{size}")
    for name, item in store.items():
        g(f"{name}{item['size']}", item.get("name"))
    for name, item in box["at"].items():
        g(name.strip(), item["shape"])
    # js2py: check: sets are unordered in Python; in JavaScript they keep the order of insertion
    for item in [*all_, *store.values(), *box["at"].values()]:
        g(item["shape"] + [1])
    if either["kind"] == "item":
        g(either["units"])
    else:
        g("-".join(either["layers"]))
    return f"{mode}{1}"
""",
    ),
    "tuples, functions and generic types": (
        """
interface Item { size: number }
type Pair<T> = [string, T];
type Maker = (name: string, item: Item) => Item;
function pair(): Pair<Item> { return ['a', {size: 1}]; }
const [name, {size}] = pair();
const first = pair()[1];
const make: Maker = (name, item) => ({size: item.size + name.length});
function use(make: Maker, each: {make: Maker}) { g(make('a', first).size, each.make('b', first).size); }
use((name, item) => { g(item.size); return {size: name.length}; }, {make});
class Bag<T> { all: T[] = []; at: {[name: string]: T} = {}; find(i: number) { return this.all[i]; } }
function put(bag: Bag<Item>, names = new Map<Item, string>()) {
  const inner = new Bag<Item>();
  g(bag.all[0].size, bag.at['x'].size, inner.find(0).size, names.get(first).trim(), name + size);
}
function biggest<T extends Item>(items: readonly T[]): number { return Math.max(...items.map(item => item.size)); }
""",
        """
def pair():
    return ["a", {"size": 1}]


name, part = pair()
size = part["size"]
first = pair()[1]


def make(name, item):
    return {"size": item["size"] + len(name)}


def use(make, each):
    g(make("a", first)["size"], each["make"]("b", first)["size"])


def callback(name, item):
    g(item["size"])
    return {"size": len(name)}


use(callback, {"make": make})


class Bag:
    def __init__(self):
        self.all = []
        self.at = {}

    def find(self, i):
        return self.all[i]


def put(bag, names=None):
    if names is None:
        names = {}
    inner = Bag()
    g(
        bag.all[0]["size"],
        bag.at["x"]["size"],
        inner.find(0)["size"],
        names.get(first).strip(),
        f"{name}{size}",
    )


def biggest(items):
    return max([item["size"] for item in items])
""",
    ),
    "items of maps and sets": (
        """
const groups = new Map(), seen = new Set<string>();
for (const item of items) groups.set(item.name, {size: 1});
for (const word of words) seen.add(word);
for (const group of groups.values()) g(group.size);
g([...seen].map(word => word.length), Object.entries({a: 1}).map(([key, count]) => key + count));
const oldest = groups.keys().next().value;
""",
        """
groups = {}
seen = set()
for item in items:
    groups[item.name] = {"size": 1}
for word in words:
    seen.add(word)
for group in groups.values():
    g(group["size"])
# js2py: check: sets are unordered in Python; in JavaScript they keep the order of insertion
g([len(word) for word in seen], [f"{key}{count}" for key, count in {"a": 1}.items()])
oldest = next(iter(groups.keys()), None)
""",
    ),
    "optional keys": (
        """
interface Options { rate?: number; units: number; names?: string[] }
class Model {
  private cache: Record<string, number[]>;
  constructor(private options: Options, public sizes = [1], readonly all: Required<Options>) { super(); this.fill(); }
  of(key: string) { return this.cache[key] || (this.cache[key] = []); }
}
function f(options: Options, counts = {}) {
  if (options.rate && options.rate > 1) g(options.rate > 2 ? options.all : options.units > 3);
  for (const name of options.names || []) counts[name] = (counts[name] || 0) + 1;
  return options.rate < 3;
}
""",
        """
class Model:
    def __init__(self, options, sizes=None, all_=None):
        if sizes is None:
            sizes = [1]
        super().__init__()
        self.options = options
        self.sizes = sizes
        self.all = all_
        self.cache = None
        self.fill()

    def of(self, key):
        return self.cache.setdefault(key, [])


def f(options, counts=None):
    if counts is None:
        counts = {}
    if options.get("rate") and options.get("rate") > 1:
        g(options["all"] if options.get("rate") > 2 else options["units"] > 3)
    for name in options.get("names", []):
        counts[name] = (counts.get(name) or 0) + 1
    return options.get("rate") is not None and options.get("rate") < 3
""",
    ),
    "types of other files and packages": (
        """
import * as pose from '@mediapipe/pose';
import {Part} from 'some-package';
import {Box as Frame} from './types';
import * as tf from '@tensorflow/tfjs';
interface Pose { name: string } interface Part { name: string } interface Box { name: string; units?: number }
const BOX: Frame = {name: 'a', units: 3};
function f(theirs: pose.Pose, part: Part, frame: Frame, mine: Pose, x: tf.Tensor2D) {
  g(theirs.name, part.name, frame.name, mine.name, x.name, BOX.units, frame.units * 2, frame.units);
}
""",
        """
BOX = {"name": "a", "units": 3}


def f(theirs, part, frame, mine, x):
    # js2py: check: is `name` an item of a dict, as here, or an attribute?
    g(
        theirs["name"],
        part["name"],
        frame["name"],
        mine["name"],
        x.name,
        BOX["units"],
        frame["units"] * 2,
        frame.get("units"),
    )
""",
    ),
    "base classes, generic functions and expected types": (
        """
interface Item { size: number; shape: string[] }
interface Visitor { visit(item: Item): string[]; name: string }
abstract class Base<T> {
  protected data: T[] = [];
  abstract pick(): Item;
  last(): T { return this.data[this.data.length - 1]; }
}
class Derived extends Base<Item> {
  pick() { return this.data[0]; }
  get sizes(): number[] { this.data = this.data.slice(); return this.data.map(d => d.size); }
}
function first<T>(xs: T[]): T { return xs[0]; }
function pluck<T, K>(xs: T[], f: (x: T) => K): K[] { return xs.map(x => f(x)); }
function f(bases: Base<Item>[], derived: Derived, items: Item[], visitor: Visitor) {
  for (const b of bases) g(b.pick().size, b.last().size, derived.last().size);
  g(first(items).shape.join(), pluck(items, i => i.shape)[0].join(), first<Item>(load()).size);
  g(visitor.visit(items[0]).join());
}
const visitor: Visitor = {visit: item => item.shape, name: 'v'};
const handlers: {[event: string]: (payload: Item) => void} = {a: payload => g(payload.size)};
f([], new Derived(), [], {visit(item) { return [item.shape.join()]; }, name: 'w'});
""",
        """
class Base:
    def __init__(self):
        self.data = []

    def last(self):
        return self.data[-1]


class Derived(Base):
    def pick(self):
        return self.data[0]

    @property
    def sizes(self):
        self.data = self.data[:]
        return [d["size"] for d in self.data]


def first(xs):
    return xs[0]


def pluck(xs, f):
    return [f(x) for x in xs]


def f(bases, derived, items, visitor):
    for b in bases:
        g(b.pick()["size"], b.last()["size"], derived.last()["size"])
    g(
        ",".join(first(items)["shape"]),
        ",".join(pluck(items, lambda i: i["shape"])[0]),
        first(load())["size"],
    )
    g(",".join(map(str, visitor["visit"](items[0]))))


visitor = {"visit": lambda item: item["shape"], "name": "v"}
handlers = {"a": lambda payload: g(payload["size"])}


def visit(item):
    return [",".join(item["shape"])]


f([], Derived(), [], {"visit": visit, "name": "w"})
""",
    ),
    "optional calls": (
        """
function f(options: {end?: (n: number) => void, inner?: {end?: (n: number) => number}}) {
  options.end?.(1);
  options.inner?.end?.(2);
  return options.inner?.end?.(3);
}
""",
        """
def f(options):
    if options.get("end") is not None:
        options.get("end")(1)
    if options.get("inner") is not None and options.get("inner").get("end") is not None:
        options.get("inner").get("end")(2)
    return (
        None
        if (options.get("inner") is None or options.get("inner").get("end") is None)
        else options.get("inner").get("end")(3)
    )
""",
    ),
    "chains of optional keys": (
        """
interface Node_ { size?: number; next?: Node_ }
function f(node: Node_, other?: Node_) {
  delete node.size;
  if (node.next?.next) g(other?.size ?? 1, other?.next?.size ?? 2, node.next?.next?.size === undefined);
}
""",
        """
def f(node, other=None):
    node.pop("size", None)
    if node.get("next") is not None and node.get("next").get("next") is not None:
        g(
            1 if other is None else other.get("size", 1),
            (
                2
                if (other is None or other.get("next") is None)
                else other.get("next").get("size", 2)
            ),
            (
                node.get("next") is None
                or node.get("next").get("next") is None
                or node.get("next").get("next").get("size") is None
            ),
        )
""",
    ),
}
