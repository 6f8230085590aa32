"""Scripts with imports, exports and modules of Node, and the expected Python."""

from __future__ import annotations

# Name: (script, expected Python).
MODULES = {
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
    "names of other files": (
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
    "files with reserved or invalid names": (
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
    "names that differ only in special characters": (
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
    "exported classes and names": (
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
    "conditional imports of TF.js": (
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
    "command-line arguments": (
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
    "values of command-line arguments": (
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
    "image files": (
        """
const tf = require('@tensorflow/tfjs-node');
const fs = require('fs');
const image = tf.node.decodeImage(fs.readFileSync('in.png'), 3);
const small = tf.node.decodeJpeg(fs.readFileSync('in.jpg'), 3, 2);
const encoded = await tf.node.encodePng(image, 9);
fs.writeFileSync('out.png', encoded);
fs.writeFileSync('small.jpg', await tf.node.encodeJpeg(small));
""",
        """
import pathlib

import tfpy as tf

image = tf.node.decode_image(pathlib.Path("in.png").read_bytes(), 3)
small = tf.node.decode_jpeg(pathlib.Path("in.jpg").read_bytes(), 3, 2)
encoded = tf.node.encode_png(image, 9)
pathlib.Path("out.png").write_bytes(encoded)
pathlib.Path("small.jpg").write_bytes(tf.node.encode_jpeg(small))
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
model.fit(x, y, callbacks=tf.node.tensor_board("logs", update_freq="batch"))
old = tf.load_layers_model("model.json")
libraries = {"first": dl}
old.predict(tf.browser.from_pixels(picture).expand_dims()).print()
""",
    ),
    "bytes of files": (
        """
const fs = require('fs'), {readFileSync} = require('fs');
const data = fs.readFileSync(path);
fs.writeFileSync(other, data);
fs.writeFileSync(third, readFileSync(path).slice(0, 3));
f(data.length, data[0], `${data}`, data.toString('utf8'), JSON.parse(data.toString()), new Uint8Array(data));
const waiting = () => new Promise((resolve, reject) => resolve(1));
""",
        """
import json
import pathlib

import numpy as np

data = pathlib.Path(path).read_bytes()
pathlib.Path(other).write_bytes(data)
pathlib.Path(third).write_bytes(pathlib.Path(path).read_bytes()[:3])
f(
    len(data),
    data[0],
    data.decode(),
    data.decode("utf8"),
    json.loads(data.decode()),
    np.array(bytearray(data), dtype=np.uint8),
)


def waiting():
    # js2py: `new Promise` has no counterpart: a call returns when its result is ready, so return that
    #     new Promise((resolve, reject) => resolve(1))
    raise NotImplementedError(
        "line 7: `new Promise` has no counterpart: a call returns when its result is ready, so return that"
    )
""",
    ),
}
