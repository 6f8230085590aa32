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
enum Mode { Train = 'train' }
""",
        """
class Color:
    Red = 0
    Green = 5
    Blue = 6


class Mode:
    Train = "train"
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
        f(size["width"], sizes[0]["inputs"], self.size["width"])


def g(size, named, walker):
    return h(size["inputs"], named.name, walker.dtype)


f(g(a, b, c)["width"], load()["inputs"], x[0]["inputs"])
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
}
