// TF.js in Node as the contender of published.py: predictions of models from files, with the wasm backend, else cpu.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const {started, median} = require('./started.cjs');
let tf;

async function load(file) {
  const json = JSON.parse(fs.readFileSync(file, 'utf8'));
  const handler = {
    load: () => tf.io.getModelArtifactsForJSON(json, manifest => [
      tf.io.getWeightSpecs(manifest),
      manifest.flatMap(group => group.paths)
        .map(name => new Uint8Array(fs.readFileSync(path.join(path.dirname(file), name))).buffer),
    ]),
  };
  return 'node' in json.modelTopology ? tf.loadGraphModel(handler) : tf.loadLayersModel(handler);
}

const image = ({shape, dtype}) => {
  const values = Float64Array.from({length: shape.reduce((a, b) => a * b, 1)}, (_, i) => Math.sin(i * 0.37) / 2 + 0.5);
  return dtype === 'int32' ? tf.tensor(Int32Array.from(values, v => Math.round(v * 255)), shape, dtype)
    : tf.tensor(Float32Array.from(values), shape, dtype);
};

async function predict(model, inputs) {
  const found = model.executeAsync ? await model.executeAsync(inputs) : model.predict(Object.values(inputs));
  const outputs = Array.isArray(found) ? found : [found];
  let sum = 0;
  for (const t of outputs) sum += (await t.data()).reduce((a, b) => a + Math.abs(b), 0);
  tf.dispose(outputs);
  return sum;
}

async function main() {
  tf = await started(process.argv[2]);
  for await (const line of readline.createInterface({input: process.stdin})) {
    const {file, inputs, runs} = JSON.parse(line);
    try {
      const model = await load(file);
      const given = Object.fromEntries(Object.entries(inputs).map(([name, spec]) => [name, image(spec)]));
      const check = await predict(model, given);
      const times = [];
      for (let i = 0; i < runs; i++) {
        const start = process.hrtime.bigint();
        await predict(model, given);
        times.push(Number(process.hrtime.bigint() - start) / 1e9);
      }
      model.dispose();
      console.log(JSON.stringify({seconds: median(times), check}));
    } catch (error) {  // wasm does not have every kernel
      console.log(JSON.stringify({skipped: error.message}));
    }
  }
}
main();
