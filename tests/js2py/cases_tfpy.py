"""Scripts that use TF.js and deeplearn.js (options, namespaces, promises), and the expected Python."""

from __future__ import annotations

# Name: (script, expected Python).
TFPY = {
    "unqualified classes of deeplearn.js": (
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
    "result of getConfig": (
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
    "nested entries of getConfig": (
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
    "shapes that are changed": (
        """
class Half extends tf.layers.Layer {
  computeOutputShape(inputShape) {
    inputShape[1] = 2;
    return inputShape;
  }
  call(inputs) {
    const x = Array.isArray(inputs) ? inputs[0] : inputs;
    return x.slice([0, 0], [-1, 2]);
  }
}
function withOne(shape, kept) {
  shape.push(1);
  kept.push(1);
  return shape;
}
const shape = tf.ones([2, 4]).shape;
shape[0] = 8;
f(withOne(tf.ones([2]).shape, [1]), shape);
""",
        """
import tfpy as tf


class Half(tf.layers.Layer):
    def compute_output_shape(self, input_shape):
        input_shape = list(input_shape)
        input_shape[1] = 2
        return input_shape

    def call(self, inputs):
        x = inputs[0] if isinstance(inputs, (list, tuple)) else inputs
        return x.slice([0, 0], [-1, 2])


def with_one(shape, kept):
    shape = list(shape)
    shape.append(1)
    kept.append(1)
    return shape


shape = list(tf.ones([2, 4]).shape)
shape[0] = 8
f(with_one(tf.ones([2]).shape, [1]), shape)
""",
    ),
    "rest of getConfig": (
        """
const {useBias, ...others} = layer.getConfig();
f(others, optimizer.getConfig().initialAccumulatorValue, optimizer.getConfig().rho);
""",
        """
parts = layer.get_config()
use_bias = parts["use_bias"]
others = {k: v for k, v in parts.items() if k not in ("use_bias",)}
f(
    others,
    optimizer.get_config()["initial_accumulator_value"],
    optimizer.get_config()["rho"],
)
""",
    ),
    "spread options": (
        """
const layer = tf.layers.dense({units: 3, ...more});
""",
        """
import tfpy as tf

layer = tf.layers.dense(units=3, **more)
""",
    ),
    "dates in model artifacts info": (
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
    "argument of registered ops": (
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
    "irregular names": (
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
    "options of names imported from TF.js": (
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
    "namespaces in variables and destructured": (
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
  const stored = await tf.ones([2]).bytes();
  for await (const batch of dataset) { use(batch); }
  await Promise.all([g(), h()]);
}
""",
        """
import tfpy as tf


def f(t):
    values = t.data_sync()
    rows = t.array_sync()
    stored = tf.ones([2]).bytes_sync()
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
    "options of user-defined functions": (
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
    "demos of deeplearn.js, which import it by path": (
        """
import {Graph} from '../deeplearnjs';
import {NDArrayMathCPU} from '../../src/math/math_cpu';
import {Array1D as Vector} from '../../src/math/ndarray';
import {CheckpointLoader} from '../src/checkpoint_loader';
console.log(Graph, NDArrayMathCPU, Vector, CheckpointLoader);
""",
        """
from tfpy import legacy as dl

print(dl.Graph, dl.NDArrayMathCPU, dl.Array1D, dl.CheckpointLoader)
""",
    ),
    "global deeplearn with TF.js": (
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
}
