// TF.js in Node as a contender of peers.py: the wasm backend if it is installed beside it, else cpu.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const {started, median} = require('./started.cjs');
let tf;

function layer(kind, options, first) {
  const l = tf.layers;
  if (kind === 'dense') return l.dense({units: options[0], activation: options[1], ...first});
  if (kind === 'rnn') return l.simpleRNN({units: options[0], ...first});
  if (kind === 'gru') return l.gru({units: options[0], recurrentActivation: 'sigmoid', ...first});
  if (kind === 'lstm') return l.lstm({units: options[0], recurrentActivation: 'sigmoid', ...first});
  if (kind === 'conv') return l.conv2d({filters: options[0], kernelSize: options[1], activation: 'relu', ...first});
  if (kind === 'depthwise') return l.depthwiseConv2d({kernelSize: options[0], activation: 'relu', ...first});
  if (kind === 'average') return l.globalAveragePooling1d(first);
  if (kind === 'transformer') throw new Error('no attention');
  if (kind === 'norm') return l.batchNormalization(first);
  return kind === 'pool' ? l.maxPooling2d({poolSize: 2, ...first}) : l.flatten(first);
}

function make(workload, arrays) {
  const task = workload.task;
  if (task === 'fit' || task === 'predict') {
    const model = tf.sequential();
    let count = 0;
    let first = {inputShape: workload.shape.slice(1)};
    for (const [kind, ...options] of workload.layers) {
      const added = layer(kind, options, first);
      model.add(added);
      first = {};
      if (kind !== 'norm') added.setWeights(added.getWeights().map(() => arrays['w' + count++]));
    }
    if (task === 'predict') {
      const batchSize = workload.shape[0];
      return async () => tf.tidy(() => model.predict(arrays.x, {batchSize}).dataSync()[0]);
    }
    const last = workload.layers[workload.layers.length - 1];
    const loss = last[2] === 'linear' ? 'meanSquaredError' : 'categoricalCrossentropy';
    model.compile({optimizer: tf.train.adam(0.001, 0.9, 0.999, 1e-7), loss});
    return async () => await model.trainOnBatch(arrays.x, arrays.y);
  }
  const {a, b, c} = arrays;
  if (task === 'product') return async () => tf.tidy(() => a.matMul(b).slice([0, 0], [1, 1]).dataSync()[0]);
  const f = task.startsWith('chain') ? x => x.sub(b).square().mean() : x => x.mul(b).add(c).tanh().mean();
  const g = task.includes('gradient') ? tf.grad(f) : f;
  const times = task.startsWith('chain') ? 1000 : 1;
  return async () => {
    let value = 0;
    for (let i = 0; i < times; i++) value = tf.tidy(() => g(a).dataSync()[0]);
    return value;
  };
}

function read(folder) {
  const shapes = JSON.parse(fs.readFileSync(path.join(folder, 'shapes.json')));
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => {
    const bytes = fs.readFileSync(path.join(folder, name));
    return [name, tf.tensor(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4), shape)];
  }));
}

async function main() {
  tf = await started(process.argv[2]);
  let name = '', step = null, check = 0;
  for await (const line of readline.createInterface({input: process.stdin})) {
    const workload = JSON.parse(line);
    try {
      if (workload.name !== name) {
        name = workload.name;
        step = make(workload, read(workload.folder));
        check = await step();
      }
    } catch (error) {  // wasm has no kernel for the gradient of a filter, say
      name = '';
      console.log(JSON.stringify({skipped: error.message}));
      continue;
    }
    const times = [];
    for (let i = 0; i < workload.steps; i++) {
      const start = process.hrtime.bigint();
      await step();
      times.push(Number(process.hrtime.bigint() - start) / 1e9);
    }
    console.log(JSON.stringify({seconds: median(times), check}));
  }
}
main();
