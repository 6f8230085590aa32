"""What converted scripts look like."""

from __future__ import annotations

import ast

import pytest

from tfpy.js2py import convert

# Name: the script, and its Python.
LOOKS = {
    "classes of deeplearn.js as tutorials name them": (
        """
const g = new Graph();
const x = g.variable('x', Array2D.randNormal([1, 3]));
""",
        """
from tfpy import legacy as dl

g = dl.Graph()
x = g.variable("x", dl.Array2D.rand_normal([1, 3]))
""",
    ),
    "options become keywords": (
        """
const layer = tf.layers.dense({units: 10, inputShape: [784], kernelInitializer: 'glorotNormal'});
""",
        """
import tfpy as tf

layer = tf.layers.dense(units=10, input_shape=[784], kernel_initializer="glorotNormal")
""",
    ),
    "options of methods": (
        """
model.compile({loss: 'meanSquaredError', optimizer: tf.train.adam(1e-3)});
""",
        """
import tfpy as tf

model.compile(loss="meanSquaredError", optimizer=tf.train.adam(1e-3))
""",
    ),
    "options in a variable stay a dict": (
        """
const config = {units: 3, useBias: false};
model.add(tf.layers.dense(config));
""",
        """
import tfpy as tf

config = {"units": 3, "useBias": False}
model.add(tf.layers.dense(config))
""",
    ),
    "what getConfig gives": (
        """
const config = tf.layers.dense({units: 3}).getConfig();
f(config.useBias, tf.sequential().layers[0].getConfig().useBias);
class Scale extends tf.layers.Layer {
  getConfig() {
    const config = super.getConfig();
    config.factor = this.factor;
    return config;
  }
}
""",
        """
import tfpy as tf

config = tf.layers.dense(units=3).get_config()
f(config["use_bias"], tf.sequential().layers[0].get_config()["use_bias"])


class Scale(tf.layers.Layer):
    def get_config(self):
        config = super().get_config()
        config["factor"] = self.factor
        return config
""",
    ),
    "what getConfig gives, further in": (
        """
const {kernelRegularizer} = layer.getConfig();
f(kernelRegularizer.config.l2, model.getConfig().layers.map(l => l.config.useBias), 'useBias' in layer.getConfig());
""",
        """
kernel_regularizer = layer.get_config()["kernel_regularizer"]
f(
    kernel_regularizer["config"]["l2"],
    [l["config"]["use_bias"] for l in model.get_config()["layers"]],
    "use_bias" in layer.get_config(),
)
""",
    ),
    "keys that some calls leave out": (
        """
function f(options, {size}) {
  const rate = options.rate;
  return rate > 0 ? rate * options.steps : size;
}
f({steps: 3}, {}); f({rate: 2, steps: 3}, {size: 1});
""",
        """
def f(options, options_2):
    size = options_2.get("size")
    rate = options.get("rate")
    return rate * options["steps"] if rate is not None and rate > 0 else size


f({"steps": 3}, {})
f({"rate": 2, "steps": 3}, {"size": 1})
""",
    ),
    "options that are spread": (
        """
const layer = tf.layers.dense({units: 3, ...more});
""",
        """
import tfpy as tf

layer = tf.layers.dense(units=3, **more)
""",
    ),
    "what is told of saved models has dates": (
        """
const all = await tf.io.listModels();
f(JSON.stringify(all, null, 2), JSON.stringify(await tf.io.removeModel(path)), JSON.stringify(path));
""",
        """
import json

import tfpy as tf

all_ = tf.io.list_models()
f(
    json.dumps(all_, indent=2, default=str),
    json.dumps(tf.io.remove_model(path), default=str),
    json.dumps(path),
)
""",
    ),
    "dates": (
        """
const begin = new Date(2020, 0, 31), end = new Date(2020, month - 1, 1, hour);
f(end - begin, begin.getMonth() + 1, end.getTime(), new Date(end.getTime()), new Date().getTime());
begin.setDate(begin.getDate() + 1);
f(+begin, performance.now() - t0);
class Clock { getTime() { return 1; } }
f(new Clock().getTime(), other.getHours());
""",
        """
import datetime
import time

begin = datetime.datetime(2020, 1, 31)
end = datetime.datetime(2020, month, 1, hour)
f(
    (end.timestamp() - begin.timestamp()) * 1000,
    begin.month,
    end.timestamp() * 1000,
    datetime.datetime.fromtimestamp(end.timestamp()),
    time.time() * 1000,
)
begin += datetime.timedelta(days=1)
f(begin.timestamp() * 1000, time.perf_counter() * 1000 - t0)


class Clock:
    def get_time(self):
        return 1


f(Clock().get_time(), other.hour)
""",
    ),
    "what is called on something of several lines": (
        """
const a = tf.tensor([[1.25, 2.25, 3.25, 4.25, 5.25], [6.25, 7.25, 8.25, 9.25, 10.25]]).reshape([5, 2]);
tf.data.array([{x: 1, y: 'first', z: true}, {x: 2, y: 'second', z: false}, {x: 3, y: 'third', z: true}]).batch(2);
""",
        """
import tfpy as tf

a = tf.tensor(
    [[1.25, 2.25, 3.25, 4.25, 5.25], [6.25, 7.25, 8.25, 9.25, 10.25]]
).reshape([5, 2])
tf.data.array(
    [
        {"x": 1, "y": "first", "z": True},
        {"x": 2, "y": "second", "z": False},
        {"x": 3, "y": "third", "z": True},
    ]
).batch(2)
""",
    ),
    "what a registered op is given": (
        """
tf.registerOp('Scale', node => node.inputs[0].mul(node.attrs['factor']).add(node.attrs.offset));
""",
        """
import tfpy as tf

tf.register_op(
    "Scale",
    lambda node: node.inputs[0].mul(node.attrs["factor"]).add(node.attrs["offset"]),
)
""",
    ),
    "names that follow no rule": (
        """
tf.layers.leakyReLU(); tf.io.browserHTTPRequest(x); a.as2D(2, 3); tf.basicLSTMCell;
""",
        """
import tfpy as tf

tf.layers.leaky_relu()
tf.io.browser_http_request(x)
a.as_2d(2, 3)
tf.basic_lstm_cell
""",
    ),
    "namespaces by their names": (
        """
import {layers, sequential as seq} from '@tensorflow/tfjs';
const m = seq({layers: [layers.flatten()]});
""",
        """
import tfpy as tf

m = tf.sequential(layers=[tf.layers.flatten()])
""",
    ),
    "options of what is imported by name are no keys of the script's own": (
        """
import * as tfl from '@tensorflow/tfjs-layers';
import {input, layers} from '@tensorflow/tfjs';
const {flatten} = layers;
const x = layers.dense({units: 3}).apply(input({shape: [2]}));
f(tfl.layers.add().apply([x, x]).shape, flatten({dataFormat: 'channelsFirst'}).apply(x).shape, y.shape, y.units);
""",
        """
import tfpy as tf

flatten = tf.layers.flatten
x = tf.layers.dense(units=3).apply(tf.input(shape=[2]))
f(
    tf.layers.add().apply([x, x]).shape,
    flatten({"dataFormat": "channelsFirst"}).apply(x).shape,
    y.shape,
    y.units,
)
""",
    ),
    "namespaces in variables and taken apart": (
        """
import * as data from '@tensorflow/tfjs-data';
import {zip} from '@tensorflow/tfjs-data';
import '@tensorflow/tfjs-backend-webgl';
const L = tf.layers;
const {reLU, thresholdedReLU: cut} = L;
const {layers: {leakyReLU}, train} = tf;
f(data.array([1]), zip([a]), L.leakyReLU({alpha: 0.5}), reLU(), cut(), leakyReLU(), train);
""",
        """
import tfpy as tf

L = tf.layers
re_lu = tf.layers.relu
cut = tf.layers.thresholded_relu
leaky_re_lu = tf.layers.leaky_relu
train = tf.train
f(
    tf.data.array([1]),
    tf.data.zip([a]),
    tf.layers.leaky_relu(alpha=0.5),
    re_lu(),
    cut(),
    leaky_re_lu(),
    train,
)
""",
    ),
    "charts": (
        """
import * as tfvis from '@tensorflow/tfjs-vis';
tfvis.show.modelSummary({name: 'M'}, model);
tfvis.render.linechart(box, {values}, {xLabel: 'x', width: 300});
""",
        """
import tfpy as tf

tf.vis.show.model_summary({"name": "M"}, model)
tf.vis.render.linechart(box, {"values": values}, x_label="x", width=300)
""",
    ),
    "requires": (
        """
require('@tensorflow/tfjs-node');
const tf = require('@tensorflow/tfjs');
const fs = require('fs');
const {load} = require('./my-data');
if (fs.existsSync('a')) load(tf.ones([1]));
""",
        """
import os

import tfpy as tf

from my_data import load

if os.path.exists("a"):
    load(tf.ones([1]))
""",
    ),
    "imports of own files": (
        """
import {makeModel, SIZE} from './model';
import * as ui from './lib/ui.js';
ui.showAll(makeModel(SIZE));
""",
        """
from model import make_model, SIZE
import lib.ui as ui

ui.show_all(make_model(SIZE))
""",
    ),
    "what other files have is theirs, whatever it is called": (
        """
import * as util from './util';
const data = require('./data');
util.sort(xs); f(util.sum(1), util.map(g), data.NAMES, data.slice(3), data.length);
""",
        """
import util
import data

util.sort(xs)
f(util.sum_(1), util.map_(g), data.NAMES, data.slice_(3), data.length)
""",
    ),
    "exports of other files": (
        """
export {a, someName as b, default as c} from './lib/util';
export * from './other-file.js';
export * as ui from './ui';
""",
        """
from lib.util import a, some_name as b, c
from other_file import *
import ui
""",
    ),
    "exports": (
        """
export const SIZE = 3;
export function getSize() { return SIZE; }
export default getSize;
export {SIZE as other};
module.exports = {getSize};
""",
        """
SIZE = 3


def get_size():
    return SIZE


other = SIZE
""",
    ),
    "comments": (
        """
// At the head.

const a = 1; // behind
/* a block
   of two lines */
const b = f(a, /* inner */ 2);
const c = {
  // before
  x: 1, // behind x
  y: 2,
};
function g() {
  // alone
}
""",
        """
# At the head.

a = 1  # behind
# a block
# of two lines
b = f(
    a,  # inner
    2,
)
c = {
    # before
    "x": 1,  # behind x
    "y": 2,
}


def g():
    # alone
    pass
""",
    ),
    "documentation": (
        """
/**
 * Adds numbers.
 *
 * @param {number} firstOne - One number.
 * @param {number=} second Another,
 *     in two lines.
 * @returns {number} Their sum.
 */
function add(firstOne, second) {
  return firstOne + second;
}
""",
        '''
def add(first_one, second):
    """Adds numbers.

    Args:
        first_one: One number.
        second: Another,
            in two lines.

    Returns:
        Their sum.
    """
    return first_one + second
''',
    ),
    "functions": (
        """
const square = x => x * x;
const run = async () => {
  await wait();
};
function* count(n) { yield* range(n); }
xs.forEach(function(x) { show(x); });
""",
        """
def square(x):
    return x * x


def run():
    wait()


def count(n):
    yield from range_(n)


for x in xs:
    show(x)
""",
    ),
    "a function with a body gets a name": (
        """
const history = await model.fit(xs, ys, {
  epochs: 3,
  callbacks: {onEpochEnd: (epoch, logs) => { const loss = logs.loss; console.log(loss); }},
});
""",
        """
def on_epoch_end(epoch, logs):
    loss = logs["loss"]
    print(loss)


history = model.fit(xs, ys, epochs=3, callbacks={"on_epoch_end": on_epoch_end})
""",
    ),
    "a body that is one return": (
        """
const f = tf.grad(x => { return x.square(); });
const g = tf.grad(function(x) { return x.square().add(x.mul(2)).mul(x.sub(1)).div(x.add(3)).sqrt().mean(); });
""",
        """
import tfpy as tf

f = tf.grad(lambda x: x.square())


def f_2(x):
    return x.square().add(x.mul(2)).mul(x.sub(1)).div(x.add(3)).sqrt().mean()


g = tf.grad(f_2)
""",
    ),
    "tidy": (
        """
const y = tf.tidy(() => {
  const z = x.square();
  return z.mean();
});
tf.tidy(() => { x.print(); });
const w = tf.tidy(() => x.mean());
""",
        """
import tfpy as tf


def compute():
    z = x.square()
    return z.mean()


y = tf.tidy(compute)
with tf.tidy():
    x.print()
w = tf.tidy(lambda: x.mean())
""",
    ),
    "awaiting": (
        """
async function f(t) {
  const values = await t.data();
  const rows = await t.array();
  for await (const batch of dataset) { use(batch); }
  await Promise.all([g(), h()]);
}
""",
        """
def f(t):
    values = t.data_sync()
    rows = t.array_sync()
    for batch in dataset:
        use(batch)
    g()
    h()
""",
    ),
    "promises": (
        """
load().then(model => { model.summary(); }).catch(e => console.error(e.message));
""",
        """
import sys

try:
    model = load()
    model.summary()
except Exception as e:
    print(str(e), file=sys.stderr)
""",
    ),
    "a class": (
        """
class Net extends tf.layers.Layer {
  static className = 'Net';
  rate = 0.5;
  constructor(config) {
    super(config);
    this.numUnits = config.numUnits;
  }
  // What comes out.
  computeOutputShape(inputShape) { return [inputShape[0], this.numUnits]; }
  get size() { return this.numUnits; }
  static make(n) { return new Net({numUnits: n}); }
}
""",
        """
import tfpy as tf


class Net(tf.layers.Layer):
    class_name = "Net"

    def __init__(self, config):
        super().__init__(config)
        self.rate = 0.5
        self.num_units = config["numUnits"]

    # What comes out.
    def compute_output_shape(self, input_shape):
        return [input_shape[0], self.num_units]

    @property
    def size(self):
        return self.num_units

    @staticmethod
    def make(n):
        return Net({"numUnits": n})
""",
    ),
    "defaults": (
        """
function f(a, b = 2, c = [], {d, e = 1} = {}) { return [a, b, c, d, e]; }
""",
        """
def f(a, b=2, c=None, options=None):
    if c is None:
        c = []
    if options is None:
        options = {}
    d = options.get("d")
    e = options.get("e", 1)
    return [a, b, c, d, e]
""",
    ),
    "conditions": (
        """
if (a === null || b !== undefined) { f(); } else if (!c && d.length) g(); else h();
const x = a > 1 ? 'many' : 'one';
""",
        """
if a is None or b is not None:
    f()
else:
    # js2py: check: an empty list or dict counts as true in JavaScript, and as false in Python
    if not c and len(d):
        g()
    else:
        h()
x = "many" if a > 1 else "one"
""",
    ),
    "truth": (
        """
const list = [], map = {}, model = tf.sequential();
if (list && !map) f();
if (model) g();
const n = count || 1;
""",
        """
import tfpy as tf

list_ = []
map_ = {}
model = tf.sequential()
if list_ is not None and map_ is None:
    f()
if model is not None:
    g()
# js2py: check: an empty list or dict counts as true in JavaScript, and as false in Python
n = count or 1
""",
    ),
    "switch": (
        """
switch (kind) {
  case 'a': // first
  case 'b':
    f();
    break;
  default:
    g();
}
""",
        """
# first
match kind:
    case "a" | "b":
        f()
    case _:
        g()
""",
    ),
    "loops": (
        """
for (let i = 0; i < n; i++) f(i);
for (let i = n - 1; i >= 0; i--) f(i);
for (let i = 1; i <= 9; i += 2) f(i);
for (const [k, v] of Object.entries(o)) f(k, v);
for (;;) { if (done()) break; }
""",
        """
for i in range(n):
    f(i)
for i in range(n - 1, -1, -1):
    f(i)
for i in range(1, 10, 2):
    f(i)
for k, v in o.items():
    f(k, v)
while True:
    if done():
        break
""",
    ),
    "lists": (
        """
const ys = xs.map((x, i) => x * i).filter(y => y > 1);
const has = xs.indexOf(3) !== -1;
const last = xs[xs.length - 1];
xs.sort((a, b) => b - a);
const total = xs.reduce((a, b) => a + b, 0);
""",
        """
ys = [y for y in [x * i for i, x in enumerate(xs)] if y > 1]
has = 3 in xs
last = xs[-1]
xs.sort(reverse=True)
total = sum(xs)
""",
    ),
    "texts": (
        """
const s = `${name}: ${(100 * acc).toFixed(1)}%`;
const t = 'n = ' + n + ' of ' + shape;
const u = words.map(w => w.trim()).join(', ');
""",
        """
s = f"{name}: {100 * acc:.1f}%"
t = f"n = {n} of {shape}"
u = ", ".join([w.strip() for w in words])
""",
    ),
    "errors": (
        """
try { f(); } catch (err) { throw new Error(`bad: ${err.message}`); } finally { g(); }
try { f(); } catch { g(); }
""",
        """
try:
    f()
except Exception as err:
    raise RuntimeError(f"bad: {err}")
finally:
    g()
try:
    f()
except Exception:
    g()
""",
    ),
    "long lines": (
        """
const model = tf.sequential({layers: [tf.layers.dense({units: 1, inputShape: [10]}), tf.layers.dropout({rate: 0.25})]});
const dataset = tf.data.csv(url, {hasHeader: true}).map(r => r.xs).shuffle(1000).batch(32);
if (someLongCondition && anotherLongCondition && yetAnotherLongCondition && theLastCondition) f();
""",
        """
import tfpy as tf

model = tf.sequential(
    layers=[tf.layers.dense(units=1, input_shape=[10]), tf.layers.dropout(rate=0.25)]
)
dataset = (
    tf.data.csv(url, has_header=True)
    .map(lambda r: r["xs"])
    .shuffle(1000)
    .batch(32)
)
# js2py: check: an empty list or dict counts as true in JavaScript, and as false in Python
if (
    some_long_condition
    and another_long_condition
    and yet_another_long_condition
    and the_last_condition
):
    f()
""",
    ),
    "names": (
        """
const learningRate = 1, sum = 2, is = 3, LIMIT = 4, $el = 5, _x = 6, xTrain2 = 7;
use(learningRate, sum, is, LIMIT, $el, _x, xTrain2);
""",
        """
learning_rate = 1
sum_ = 2
is_ = 3
LIMIT = 4
el = 5
_x = 6
x_train2 = 7
use(learning_rate, sum_, is_, LIMIT, el, _x, x_train2)
""",
    ),
    "generators and data": (
        """
function* gen() { let i = 0; while (i < 3) { yield {xs: [i], ys: [i++]}; } }
const ds = tf.data.generator(gen).batch(2);
""",
        """
import tfpy as tf


def gen():
    i = 0
    while i < 3:
        yield {"xs": [i], "ys": [(i := i + 1) - 1]}


ds = tf.data.generator(gen).batch(2)
""",
    ),
    "attributes that are there later": (
        """
class Loader {
  load() { if (!this.model) this.model = make(); return this.model; }
}
""",
        """
class Loader:
    model = None

    def load(self):
        if self.model is None:
            self.model = make()
        return self.model
""",
    ),
    "options of one's own": (
        """
const all = Object.assign({rate: 1}, given, {last: 2});
const rate = all.rate || 3;
""",
        """
all_ = {"rate": 1, **given, "last": 2}
rate = all_.get("rate") or 3
""",
    ),
    "scripts for deeplearn.js": (
        """
import * as dl from 'deeplearn';
import {Array1D} from 'deeplearn';
const math = dl.ENV.math;
math.scope((keep, track) => {
  const x = track(Array1D.randNormal([3]));
  keep(math.slice1D(x, 0, 2));
});
async function show(x) { console.log(await x.val(0), await x.getValuesAsync(), x.as2D(3, 1)); }
""",
        """
from tfpy import legacy as dl

math_ = dl.ENV.math


def compute(keep, track):
    x = track(dl.Array1D.rand_normal([3]))
    keep(math_.slice1d(x, 0, 2))


math_.scope(compute)


def show(x):
    print(x.get(0), x.get_values(), x.as_2d(3, 1))
""",
    ),
    "deeplearn.js from a page, beside TF.js": (
        """
const old = dl.Scalar.new(1), other = tf.scalar(1);
""",
        """
import tfpy as tf
from tfpy import legacy as dl

old = dl.Scalar.new(1)
other = tf.scalar(1)
""",
    ),
    "files with names that Python has, or cannot have": (
        """
import {norm} from './math.js';
import {load} from './print/my-data';
import two from './2';
""",
        """
from math_ import norm
from print.my_data import load
from _2 import two
""",
    ),
    "names that are signs, or differ in signs alone": (
        """
function f($0, $, _, xY, x_y) { return $0; }
""",
        """
def f(_0, _, __2, x_y, x_y_2):
    return _0
""",
    ),
    "exports of Node": (
        """
function one() { return 1; }
exports.two = async function(n) { return n + one(); };
module.exports.three = x => x * 3;
exports.LIMIT = 5;
module.exports = {one, four: one, makeFive: () => 5, six() { return 6; }};
""",
        """
def one():
    return 1


def two(n):
    return n + one()


def three(x):
    return x * 3


LIMIT = 5
four = one


def make_five():
    return 5


def six():
    return 6
""",
    ),
    "classes and names that are exported": (
        """
module.exports = class Net { run() { return 1; } };
const x = 1;
export {x as limit, x};
export default x;
""",
        """
class Net:
    def run(self):
        return 1


x = 1
limit = x
""",
    ),
    "TF.js in one of two ways": (
        """
let tf;
if (gpu === 'yes') {
  tf = require('@tensorflow/tfjs-node-gpu');
} else {
  tf = require('@tensorflow/tfjs-node');
}
const started = new Date().getTime();
const x = tf.scalar(1);
""",
        """
import time

import tfpy as tf

started = time.time() * 1000
x = tf.scalar(1)
""",
    ),
    "a variable that functions set, where it is left to a person": (
        """
function f() { let t = x.toPrecision(3); const g = () => { t = 5; }; g(); return t; }
""",
        """
def f():
    # js2py: `toPrecision` has no counterpart
    #     let t = x.toPrecision(3);
    t = None
    raise NotImplementedError("line 2: `toPrecision` has no counterpart")

    def g():
        nonlocal t
        t = 5

    g()
    return t
""",
    ),
    "conditions of comprehensions": (
        """
const found = categoryNames.filter(name => everything === 'yes' ? true : name.startsWith(wantedCategory));
""",
        """
found = [
    name
    for name in category_names
    if (True if everything == "yes" else name.startswith(wanted_category))
]
""",
    ),
    "the command line": (
        """
const argparse = require('argparse');
function parseArgs() {
  const parser = new argparse.ArgumentParser({description: 'Trains.', addHelp: true});
  parser.addArgument('modelJSONPath', {type: 'string', help: 'Where it lies'});
  parser.addArgument(['-b', '--batchSize'], {
    type: 'int',
    defaultValue: 128,  // enough
    help: 'Size (%(defaultValue)s)'
  });
  parser.addArgument('--gpu', {action: 'storeTrue', type: 'string'});
  return parser.parseArgs();
}
const args = parseArgs();
if (args.gpu && args.batchSize % 2 === 0) console.log(args.modelJSONPath, args.other);
""",
        """
import argparse


def parse_args():
    parser = argparse.ArgumentParser(description="Trains.")
    parser.add_argument("model_json_path", type=str, help="Where it lies")
    parser.add_argument(
        "-b",
        "--batchSize",
        dest="batch_size",
        type=int,
        default=128,  # enough
        help="Size (%(default)s)",
    )
    parser.add_argument("--gpu", action="store_true")
    return parser.parse_args()


args = parse_args()
if args.gpu and args.batch_size % 2 == 0:
    print(args.model_json_path, getattr(args, "other", None))
""",
    ),
    "generators as arguments, negations, assignments within": (
        """
if (xs.every(x => x > 1) && !xs.some(x => x > 9)) f(xs.find(x => x > 2) ?? 5);
const isEverythingInTheListAsItShouldBe = itemsOfTheList.every(item => item > smallest && item < largest);
let i = 0;
while (i < 3) f(i++);
""",
        """
if all(x > 1 for x in xs) and not any(x > 9 for x in xs):
    f(found if (found := next((x for x in xs if x > 2), None)) is not None else 5)
is_everything_in_the_list_as_it_should_be = all(
    item > smallest and item < largest
    for item in items_of_the_list
)
i = 0
while i < 3:
    f((i := i + 1) - 1)
""",
    ),
    "modules of Node": (
        """
const path = require('path');
if (require.main === module) { console.log(path.join('a', 'b'), process.argv[2]); process.exit(1); }
""",
        """
import os
import sys

if __name__ == "__main__":
    print(os.path.join("a", "b"), sys.argv[1])
    sys.exit(1)
""",
    ),
    "what the command line says": (
        """
const [a, b] = process.argv.slice(2);
const folder = path.resolve(__dirname, './data');
const where = process.argv[2] || folder;
if (process.argv.length < 4) process.exit();
const port = process.env.PORT;
""",
        """
import os
import sys

a, b = sys.argv[1:]
folder = os.path.abspath(os.path.join(os.path.dirname(__file__), "./data"))
where = (sys.argv[1] if len(sys.argv) > 1 else None) or folder
if len(sys.argv) + 1 < 4:
    sys.exit()
port = os.environ.get("PORT")
""",
    ),
    "shells, TensorBoard and more of Node": (
        """
import * as shelljs from 'shelljs';
import {rm} from 'shelljs';
import {join} from 'path';
const mkdirp = require('mkdirp');
mkdirp.sync(out);
shelljs.mkdir('-p', join(...parts));
rm('-rf', 'dist');
shelljs.cp(a, b);
fs.rmSync(a, {recursive: true});
model.fit(x, y, {callbacks: tf.node.tensorBoard('logs', {updateFreq: 'batch'})});
const old = await tf.loadModel('model.json');
const libraries = {first: require('deeplearn')};
old.predict(tf.fromPixels(picture).expandDims()).print();
""",
        """
import os
import shutil

import tfpy as tf
from tfpy import legacy as dl

os.makedirs(out, exist_ok=True)
os.makedirs(os.path.join(*parts), exist_ok=True)
shutil.rmtree("dist", ignore_errors=True)
shutil.copy(a, b)
shutil.rmtree(a)
model.fit(x, y, callbacks=tf.callbacks.tensor_board("logs", update_freq="batch"))
old = tf.load_layers_model("model.json")
libraries = {"first": dl}
old.predict(tf.browser.from_pixels(picture).expand_dims()).print()
""",
    ),
}

# Scripts that are left to a person in part: what the notes say.
LEFT = {
    "const box = document.getElementById('box');": "document is the browser's",
    "const answer = await fetch(url);": "fetch is the browser's",
    "a: for (const x of y) for (const z of x) for (const t of z) { break a; }": (
        "a jump to a label that is no plain loop around this one has no counterpart"
    ),
    "a: for (const x of y) { for (const z of x) { if (z) continue a; if (f(z) > 1) break; } }": (
        "a jump to a label that is no plain loop around this one has no counterpart"
    ),
    "a: { f(); break a; }": "a jump to a label that is no plain loop around this one has no counterpart",
    "setTimeout(() => f(), 10);": "setTimeout has no counterpart; call the function where it is due",
    "const p = new Promise((resolve, reject) => load(resolve));": "a promise of one's own has no counterpart",
    "import embed from 'vega-embed';": "the package vega-embed has no counterpart here",
    "import labels from './labels.json';": "./labels.json is no script; `json.load` reads it",
    "export * from '@tensorflow/tfjs';": (
        "what is exported from @tensorflow/tfjs has no counterpart; import it where it is used"
    ),
    "import {x} from '../other';": "../other is not among what is converted; convert the folder that has both",
    "const m = /(?<year>\\d+)/.exec(s);": "this regular expression has no counterpart; see Python's re",
    "switch (a) { case 1: f(); case 2: g(); }": "a case that falls through to the next has no counterpart",
    "const t = [] + x;": "`+` on a list or an object makes a string of it; say what is meant",
    "import {setThreadsCount as n} from '@tensorflow/tfjs-backend-wasm'; n(2);": (
        "n comes from a package that has no counterpart here"
    ),
    "import {noSuchThing} from '@tensorflow/tfjs'; noSuchThing(1);": "tfpy has no tf.noSuchThing",
    "const {ones, noSuchThing} = tf;": "tfpy has no tf.noSuchThing",
    "const L = tf.layers; L.noSuchThing();": "tfpy has no tf.layers.noSuchThing",
    "const q = tf.noSuchThing(1);": "tfpy has no tf.noSuchThing",
    "m = tf.loadFrozenModel('a.pb', 'b.json');": "tfpy has no tf.loadFrozenModel; in tfpy it is tf.loadGraphModel",
    "const f = a.f.bind(b);": "`bind` to another object has no counterpart; write a function",
    "const d = new Date(); const f = () => d.setDate(1);": "Python's dates do not change; give the variable a new one",
    "const d = new Date(); const s = d + 1;": "`+` on a date makes a string of it; add to its `getTime()`",
    "const d = new Date(2020, 1); d.toJSON();": "`toJSON` of a date has no counterpart",
    "const d = new Date([2020]);": "a date of this has no counterpart",
    "class A {} const vs = Object.values(A);": "Object.values of an enum or a class has no counterpart; list its constants",
    "const xs = [1]; const n = xs.copyWithin(0, 1);": "`copyWithin` of a list has no counterpart",
    "function f() { return arguments.length; }": "`arguments` has no counterpart; name the parameters",
    "const o = {get x() { return 1; }};": "a plain object with getters or setters has no counterpart; write a class",
    "console.table(rows);": "console.table has no counterpart",
    "const tags = ['a', 'b']; tags.last = 1;": "a property of a list has no counterpart; give it a name of its own",
    "const a = b >>> 2;": "`>>>` has no counterpart",
    "const load = 1; exports.load = f();": "what is exported as load is something else than load here",
    "module.exports = {...others};": "what is exported by `...` has no counterpart; import it where it is used",
    "exports.f();": "this use of exports has no counterpart",
    "f(JSON.stringify(x, ['a', 'b']));": "what chooses or replaces values for `JSON.stringify` has no counterpart",
    "const o = Symbol.iterator;": "this use of Symbol has no counterpart",
    "const f = Math.atan2;": "Math.atan2 as a value has no counterpart",
    "const s = new Set(); const found = s.delete(1);": (
        "whether `delete` found something has no counterpart; ask with `has` before"
    ),
    "switch (a) { default: case 2: g(); }": "a default that falls through to the next case has no counterpart",
    "import * as fs from 'fs'; fs.readFile(x, (error, data) => f(data));": (
        "a function that is called when a file has been read or written has no counterpart"
    ),
    "import fs from 'fs'; fs.watch(x);": "fs.watch has no counterpart",
    "import * as os from 'os'; const load = os.cpus;": "os.cpus as a value has no counterpart",
    "const p = new ArgumentParser(); p.addArgument(name, {});": (
        "an argument whose name is computed has no counterpart"
    ),
    "function* g() { yield 1; } const n = g().next();": "`next` of a generator has no counterpart",
    "const xs = [2, 1]; console.log(xs.length, xs.splice(0, 1));": (
        "`splice` behind something that it changes has no counterpart; give it a statement"
    ),
    "class A { static get className() { return f(); } }": (
        "a static getter that computes `className` has no counterpart; set it below the class"
    ),
    "const o = {f() { return this.x; }};": "`this` that is no instance of a class has no counterpart",
}

# Scripts that are converted, with something to look at.
CHECKS = {
    "for (const [i, x] of f().entries()) g(i, x);": "of a map it must be .items()",
    "const r = a % b;": "`%` of a negative number",
    "const same = a == '1';": "JavaScript's `==`",
    "const o = {1: 'a'};": "numbers stay numbers as keys",
    "const o = {}; o[3] = 1;": "numbers stay numbers as keys",
    "const k = 3; const o = {[k]: 1};": "in ascending order",
    "let s = 1; s = (s * 1103515245 + 12345) & 0x7fffffff;": "loses the last digits of products beyond 2**53",
    "const pixels = new Uint8ClampedArray(4);": "keeps it between 0 and 255",
    "const xs = [3, 10]; xs.sort();": "sorts numbers as strings",
    "function f(x) { if (x) g(); }": "an empty list or dict",
    "tf.setBackend('wasm');": "tfpy has no backend 'wasm'; 'cpu' stands for it",
    "const y = x[-1];": "a negative index",
    "const d = new Date('2020-01-02');": "JavaScript takes a date without a time for one in UTC",
    "const d = new Date(saved.when);": "this is taken for milliseconds",
    "for (const k in things) f(k);": "goes over the keys of a dict",
    "const y = x << 3;": "32 bits",
    "export default {units: 3};": "import it by the name `default`",
    "module.exports = f(3);": "import it by the name `default`",
    "const s = new Set(); for (const x of s) f(x);": "a set of Python has no order",
    "class A { map(f) { return f(1); } } const y = x.map(v => v);": "or the script's own",
    "const p = new ArgumentParser({version: '1'}); f(p);": "no `version` here",
    "const p = new ArgumentParser(); p.addArgument('--x', {optionStrings: ['a']});": "no `optionStrings`; `choices` says",
    "names.sort((a, b) => a.name.localeCompare(b.name));": "`localeCompare` goes by the rules of a language",
    "const t = typeof x.y;": "Python's types have other names",
    "const at = x.length / 2; f(x[at]);": "an index that is no whole number gives undefined",
    "const y = x.slice(1, 3);": "of a tensor it takes begin and size",
    "const ys = xs.map(x => x > 1 ? Math.log(x - 1) : Math.sqrt(x * x) + Math.acos(xs[0]));": "Math.acos of this is NaN",
    "for (const x of xs) f(x > 0 && Math.log(x), x < 0 ? 0 : Math.sqrt(x), Math.log2(x));": "Math.log2 of this is NaN",
    "const total = xs.reduce((sum, x) => Math.sqrt(sum) + Math.log1p(x), 0);": "Math.log1p of this is NaN",
}


@pytest.mark.parametrize("name", list(LOOKS))
def test_look(name: str) -> None:
    script, expected = LOOKS[name]
    assert convert(script).code == expected.lstrip("\n")


# Scripts in TypeScript.
TYPED = {
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
    "types that are imported and exported": (
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
    "parameters that may be left out": (
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
    "what is imported by other names": (
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
    "maps, and classes that are abstract": (
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
}


@pytest.mark.parametrize("name", list(TYPED))
def test_look_of_typescript(name: str) -> None:
    script, expected = TYPED[name]
    assert convert(script, typescript=True).code == expected.lstrip("\n")


@pytest.mark.parametrize("script", list(LEFT))
def test_what_has_no_counterpart_is_marked_and_raises(script: str) -> None:
    found = convert(script)
    assert [(note.line, note.text, note.left) for note in found.notes] == [(1, LEFT[script], True)]
    assert not found.is_complete
    assert f"# js2py: {LEFT[script]}\n" in found.code
    assert any(
        line.strip().startswith("#     ") and line.split("#     ")[1] in script for line in found.code.splitlines()
    )
    import_alone = script.startswith("import") and script.index(";") == len(script) - 1
    assert ("raise NotImplementedError(" in found.code) is not import_alone
    ast.parse(found.code)


@pytest.mark.parametrize("script", list(CHECKS))
def test_what_may_mean_something_else_is_marked(script: str) -> None:
    found = convert(script)
    (note,) = found.notes
    assert CHECKS[script] in note.text
    assert not note.left
    assert found.is_complete
    assert f"# js2py: check: {note.text}\n" in found.code


def test_what_is_left_raises_only_when_it_is_reached() -> None:
    found = convert("function f() {\n  return 1;\n}\nfunction g() {\n  return document.title;\n}\n")
    space: dict[str, object] = {}
    exec(found.code, space)
    assert space["f"]() == 1  # type: ignore[operator]
    with pytest.raises(NotImplementedError, match="line 5: document is the browser's"):
        space["g"]()  # type: ignore[operator]


def test_a_class_is_there_without_a_method_that_is_left() -> None:
    found = convert("class A {\n  one() { return 1; }\n  get [f()]() { return 2; }\n}\nconst n = new A().one();\n")
    assert [note.line for note in found.notes if note.left] == [3]
    space: dict[str, object] = {}
    exec(found.code, space)
    assert space["n"] == 1


def test_what_comes_from_a_package_without_counterpart_raises_where_it_is_used() -> None:
    found = convert("import {a} from 'somewhere';\nconst x = 1;\nconst f = () => a(x);\n")
    assert [note.line for note in found.notes] == [1, 3]
    space: dict[str, object] = {}
    exec(found.code, space)
    assert space["x"] == 1


def test_every_line_of_a_script_may_be_odd() -> None:
    """Whatever the statements are, the result is Python."""
    parts = [script for script, _ in LOOKS.values()] + list(LEFT) + list(CHECKS)
    for part in parts:
        for script in (
            f"function wrapped() {{\n{part}\n}}",
            f"if (a > 1) {{\n{part}\n}}",
            f"class A {{ m() {{\n{part}\n}} }}",
        ):
            if not any(word in part for word in ("import ", "export ")):
                compile(convert(script).code, "converted", "exec")


def test_a_reason_of_several_lines_is_one_comment() -> None:
    found = convert("f(g(), a.b =\n  h());")
    assert "# js2py: `a.b = h()` here has no counterpart; give it a statement of its own\n" in found.code


def test_a_text_that_is_made_of_itself() -> None:
    script = """let s = '';
function g(p) { let part = 'a' + p; s = part + '=' + s; part = s + ':' + part; return '[' + part + ']'; }
"""
    assert 'return f"[{part}]"' in convert(script).code


def test_a_long_condition_alone_is_in_parentheses() -> None:
    found = convert(f"({'a' * 50} ?? {'b' * 50}).c;")
    assert found.code.startswith("(\n")
