// Records how TF.js 4.22 prints tensors: node record_printed.mjs > printed.json (needs @tensorflow/tfjs).
import * as tf from "@tensorflow/tfjs";

const range = (n, f) => Array.from({ length: n }, (_, i) => f(i));
const cases = [
  [[], [3]], [[], [0.1]], [[], [1e-9]], [[], [123456789]], [[], [true], "bool"], [[], ["text"], "string"], [[], [7], "int32"],
  [[0], []], [[3], [1, 2, 3]], [[3], [1.5, -2.25, 1000]], [[3], [NaN, Infinity, -Infinity]], [[2], [true, false], "bool"],
  [[3], ["a", "bcd", "ü"], "string"], [[3], [1, -2, 300000], "int32"], [[20], range(20, (i) => i)], [[21], range(21, (i) => i)],
  [[50], range(50, (i) => i * 1.1)], [[2, 2], [1, 2, 3, 4]], [[2, 3], [0.1, -20.25, 3, 4, 5, 6]], [[3, 1], [1, 22, 333]],
  [[1, 3], [1, 22, 333]], [[0, 3], []], [[2, 0], []], [[25, 2], range(50, (i) => i)], [[2, 25], range(50, (i) => i * i)],
  [[2, 2, 2], range(8, (i) => i)], [[2, 1, 3], range(6, (i) => i / 4)], [[1, 1, 1], [5]], [[2, 2, 2, 1], range(8, (i) => -i)],
  [[2, 1, 2, 1, 2], range(8, (i) => i)], [[1, 2, 1, 2, 1, 2], range(8, (i) => i)], [[21, 1, 2], range(42, (i) => i)],
  [[2, 2], ["x", "yy", "", "z z"], "string"], [[2, 2], [true, false, false, true], "bool"],
  [[4], [1e-7, 1e7, 123.456789, -0.000012345]], [[3], [1 / 3, 2 / 3, 1e21]], [[2], [-0, 0]], [[2, 2], ["😀", "ab", "é", "😀😀"], "string"],
  [[2], [44247.8320312, -1.8007812]],
];
const out = cases.map(([shape, values, dtype]) => {
  const t = tf.tensor(values, shape, dtype);
  const given = values.map((v) => (typeof v === "number" && !Number.isFinite(v) ? String(v) : v));
  return { shape, values: given, dtype: t.dtype, text: t.toString(), verbose: t.toString(true) };
});
const c = tf.complex(tf.tensor2d([[1, 2], [3, -4.5]]), tf.tensor2d([[0, -1], [0.25, 7]]));
out.push({ shape: [2, 2], dtype: "complex64", real: [1, 2, 3, -4.5], imag: [0, -1, 0.25, 7], text: c.toString(), verbose: c.toString(true) });
console.log(JSON.stringify(out, null, 1));
