// Records what TF.js 4.22 makes of data sets: node record_tfjs.mjs > tfjs.json (needs @tensorflow/tfjs and seedrandom).
import * as tf from "@tensorflow/tfjs";
import { writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import alea from "seedrandom/lib/alea.js";

console.warn = () => {};
const folder = mkdtempSync(join(tmpdir(), "tfjs-"));
const random = alea("cases");
const pick = (list) => list[Math.floor(random() * list.length)];
const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const plain = (v) => {
  if (v instanceof tf.Tensor) return { tensor: plain(Array.from(v.dataSync())), shape: v.shape, dtype: v.dtype };
  if (typeof v === "number") return Number.isFinite(v) ? v : String(v);
  if (Array.isArray(v)) return v.map(plain);
  if (v && typeof v === "object") return Object.fromEntries(Object.entries(v).map(([k, w]) => [k, plain(w)]));
  return v === undefined ? null : v;
};
const outcome = async (f) => {
  try { return { value: plain(await f()) }; } catch (e) { return { error: true }; }
};

// Lines with quotes, delimiters and blanks in every order.
const csvOf = (config) => tf.data.csv("file:///none", config);
const parser = { false: csvOf({ hasHeader: false, columnNames: ["a"] }), true: csvOf({ hasHeader: false, columnNames: ["a"], delimWhitespace: true }) };
const lines = range(400, (i) => {
  const blanks = i % 3 === 0;
  const line = range(Math.floor(random() * 12), () => pick(blanks ? ['"', '"', " ", " ", "a", "1"] : ['"', '"', ",", ",", "a", " "])).join("");
  return { line, blanks, cells: parser[blanks].parseRow(line, false) };
});

// Texts that are numbers, or nearly.
const parts = ["0", "1", "9", ".", "e", "E", "+", "-", "x", "b", "o", "Infinity", "inf", "NaN", " ", "\t", "_", "a", "F", "\u00a0", "\ufeff", "\u0661", "0x", "0b1", "0o7", "1e400"];
const numbers = range(600, () => {
  const text = range(Math.floor(random() * 5), () => pick(parts)).join("");
  return { text, number: isNaN(Number(text)) ? null : plain(Number(text)) };
});

const files = [
  ["a,b\n1,x\n2,y\n"], ["a,b\r\n1,x\r\n2,y\r\n"], ['a,b\n"1","x,""y"" z"\n"a "q" b",2\nx"y,"z\n'], ["a,b\n1,\n,2"],
  ["a,b\n1,\n", { columnConfigs: { b: { required: true } } }], ["a,b\n1,\n", { columnConfigs: { b: { required: true, default: 7 } } }],
  ["a,b\n1,\n", { columnConfigs: { b: { isLabel: true } } }], ["a,b\n1,2\n", { columnConfigs: { b: { isLabel: true } } }],
  ["a,b,c\n1,2,3\n", { columnConfigs: { b: { isLabel: true }, a: {} }, configuredColumnsOnly: true }],
  ["a,b,c\n1,2,3\n", { columnNames: ["p", "q", "r"] }], ["a,b,c\n1,2,3\n", { columnNames: ["p", "q"] }],
  ["1,2,3\n", { hasHeader: false, columnNames: ["p", "q", "r"] }], ["1,2,3\n", { hasHeader: false }],
  ["a,a\n1,2\n"], ["a,b\n1,2\n", { columnConfigs: { z: {} } }], ["a,b\n1\n"], ["a,b\n1,2,3\n"], ["a,b\n1,2\n\n3,4\n"], ["a\n1\n\n3\n"], ["a,b\n1,2\n\n"], [""],
  ["a,b,c,d\n1.7,1,true,5\n-1.2,0,FALSE,x\n3,TRUE,2,7", { columnConfigs: { a: { dtype: "int32" }, b: { dtype: "bool" }, c: { dtype: "bool" }, d: { dtype: "string" } } }],
  ["a;b\n1;2", { delimiter: ";" }], ["a  b\n1   2\n 3 4", { delimWhitespace: true }], ["a  b\n1   2 \n", { delimWhitespace: true }],
  ["a b\n1 2\n", { delimWhitespace: true, delimiter: "," }], ['a,b\n"x\ny",2\n'], ['"a,x","b"\n1,2'], ["ä,ß\n1,€\n"],
];
const csv = [];
for (const [i, [text, config]] of files.entries()) {
  const path = join(folder, `${i}.csv`);
  writeFileSync(path, text);
  csv.push({ text, config: config ?? {}, rows: await outcome(() => tf.data.csv(`file://${path}`, config).toArray()), batch: await outcome(() => tf.data.csv(`file://${path}`, config).batch(2).toArray()) });
}

const shuffles = [];
for (const _ of range(60, (i) => i)) {
  const args = [1 + Math.floor(random() * 45), pick(["s", "z9", 7, 123456, -3, 1.5, "0"]), random() < 0.5];
  const count = 1 + Math.floor(random() * 40);
  const d = tf.data.array(range(count, (i) => i)).shuffle(...args);
  shuffles.push({ count, args, passes: [await d.toArray(), await d.toArray(), await d.take(3).toArray()] });
}

// Data sets of { xs: [v, w], ys: [z] }, and what training on them gives.
const rows = range(7, (i) => ({ xs: [(i - 3) / 4, ((i * 5) % 7) / 3], ys: [((i * 3) % 5) / 2 - 1] }));
const build = () => {
  const m = tf.sequential({ layers: [tf.layers.dense({ units: 1, inputShape: [2] })] });
  m.setWeights([tf.tensor2d([0.5, -0.25], [2, 1]), tf.tensor1d([0.125])]);
  m.compile({ optimizer: tf.train.sgd(0.1), loss: "meanSquaredError", metrics: ["mae"] });
  return m;
};
const sets = {
  plain: () => tf.data.array(rows).batch(3), endless: () => tf.data.array(rows).repeat().batch(2), short: () => tf.data.array(rows).batch(4),
  shuffled: () => tf.data.array(rows).shuffle(4, "seed").batch(3), filtered: () => tf.data.array(rows).filter((r) => r.xs[0] > -0.6).batch(2),
  nothing: () => tf.data.array([]), unbatched: () => tf.data.array(rows), pairs: () => tf.data.array(rows.map((r) => [r.xs, r.ys])).batch(2),
  uneven: () => tf.data.array([{ xs: tf.ones([3, 2]), ys: tf.ones([2, 1]) }]), unlabelled: () => tf.data.array(rows.map((r) => ({ xs: r.xs }))).batch(2),
};
const fits = [
  ["plain", { epochs: 3 }], ["plain", { epochs: 3, initialEpoch: 1 }], ["plain", { epochs: 2, initialEpoch: 2 }], ["endless", { epochs: 2, batchesPerEpoch: 5 }],
  ["short", { epochs: 3, batchesPerEpoch: 3 }], ["short", { epochs: 2, batchesPerEpoch: 3 }, "plain"], ["plain", { epochs: 2 }, "short"], ["endless", { epochs: 2, batchesPerEpoch: 3 }, "plain"],
  ["plain", { epochs: 2, validationBatches: 1 }, "plain"], ["plain", { epochs: 2, validationBatches: 9 }, "plain"], ["plain", { epochs: 2, validationBatchSize: 2 }, "tensors"],
  ["shuffled", { epochs: 3 }], ["shuffled", { epochs: 2, batchesPerEpoch: 1 }], ["shuffled", { epochs: 2 }, "shuffled"], ["filtered", { epochs: 2 }], ["nothing", { epochs: 2 }],
  ["plain", {}], ["plain", { epochs: 0 }], ["plain", { epochs: 1.5 }], ["plain", { epochs: 1, batchesPerEpoch: 0 }],
  ["plain", { epochs: 1, validationSplit: 0.5 }], ["plain", { epochs: 1, validationBatches: 0 }, "plain"], ["pairs", { epochs: 1 }], ["uneven", { epochs: 1 }],
  ["unlabelled", { epochs: 1 }], ["plain", { epochs: 2, stopAt: 1 }, "short"], ["endless", { epochs: 2, batchesPerEpoch: 2, stopAt: 1 }, "short"], ["endless", { epochs: 2, batchesPerEpoch: 3, stopAt: 1 }, "short"],
];
const training = [];
for (const [name, { stopAt, ...options }, validation] of fits) {
  const given = { ...options };
  const log = [];
  const result = await outcome(async () => {
    const m = build();
    const events = ["onTrainBegin", "onTrainEnd", "onEpochBegin", "onEpochEnd", "onBatchBegin", "onBatchEnd"];
    const callbacks = Object.fromEntries(events.map((e) => [e, async (a, b) => {
      log.push([e, plain(a ?? null), plain(b ?? null)]);
      if (e === "onBatchEnd" && a === stopAt) m.stopTraining = true;
    }]));
    const validationData = validation === "tensors" ? [tf.tensor2d(rows.map((r) => r.xs)), tf.tensor2d(rows.map((r) => r.ys))] : validation && sets[validation]();
    const h = await m.fitDataset(sets[name](), { ...given, verbose: 0, callbacks, ...(validationData && { validationData }) });
    return { epoch: h.epoch, history: h.history, params: h.params, weights: m.getWeights() };
  });
  training.push({ set: name, options: given, stopAt: stopAt ?? null, validation: validation ?? null, log: result.error ? null : log, result });
}

const evaluations = [];
for (const [name, options] of [["plain", {}], ["plain", { batches: 2 }], ["short", { batches: 5 }], ["endless", { batches: 4 }], ["shuffled", {}], ["plain", { batches: 0 }], ["pairs", {}]])
  evaluations.push({ set: name, options, result: await outcome(() => build().evaluateDataset(sets[name](), options)) });

console.log(JSON.stringify({ lines, numbers, csv, shuffles, rows, training, evaluations }));
