// Runs jobs in the real TF.js: a list of jobs as JSON on stdin, a list of their results on stdout.
// argv[2] is the node_modules folder that holds @tensorflow/tfjs.
const fs = require('fs');
const path = require('path');
console.warn = () => {};
const tf = require(path.join(process.argv[2], '@tensorflow', 'tfjs'));

const tensor = t => tf.tensor(t.values, t.shape, t.dtype);
const plain = t => ({shape: t.shape, dtype: t.dtype, values: Array.from(t.dataSync())});
const listed = x => (Array.isArray(x) ? x : [x]);

// Loads model.json and the files it names from a folder, as the http handler does from a server.
const fromFolder = (dir, name = 'model.json') => ({
  load: async () => {
    const json = JSON.parse(fs.readFileSync(path.join(dir, name), 'utf8'));
    return tf.io.getModelArtifactsForJSON(json, manifest => [
      tf.io.getWeightSpecs(manifest),
      manifest.flatMap(group => group.paths).map(p => new Uint8Array(fs.readFileSync(path.join(dir, p))).buffer),
    ]);
  },
});

const toFolder = dir => tf.io.withSaveHandler(async artifacts => {
  fs.mkdirSync(dir, {recursive: true});
  const {weightData, weightSpecs, ...rest} = artifacts;
  const weightsManifest = [{paths: ['./model.weights.bin'], weights: weightSpecs}];
  fs.writeFileSync(path.join(dir, 'model.json'), JSON.stringify({...rest, weightsManifest}));
  fs.writeFileSync(path.join(dir, 'model.weights.bin'), Buffer.from(weightData));
  return {modelArtifactsInfo: tf.io.getModelArtifactsInfoForJSON(artifacts)};
});

// Weights that are not what they start as; variances must be positive.
function fill(model) {
  model.setWeights(model.getWeights().map((w, i) => tf.randomNormal(w.shape, 0, 0.5, w.dtype, i + 1).abs().add(0.1)));
}

const configured = ([factory, config]) => {
  const nested = Object.entries(config).map(([key, value]) =>
    [key, Array.isArray(value) && tf.layers[value[0]] ? configured(value)
      : Array.isArray(value) && Array.isArray(value[0]) && tf.layers[value[0][0]] ? value.map(configured) : value]);
  return tf.layers[factory](Object.fromEntries(nested));
};

function build({layer, shapes, dtype}) {
  const inputs = shapes.map(shape => tf.input({shape, dtype}));
  const outputs = configured(layer).apply(inputs.length === 1 ? inputs[0] : inputs);
  return tf.model({inputs, outputs});
}

const JOBS = {
  // Loads a model and asks it for predictions.
  async predict({dir, inputs}) {
    const model = await tf.loadLayersModel(fromFolder(dir));
    return listed(model.predict(inputs.map(tensor))).map(plain);
  },
  // Makes a model of one layer, saves it and asks it for predictions.
  async make({dir, layer, shapes, dtype, inputs}) {
    const model = build({layer, shapes, dtype});
    fill(model);
    await model.save(toFolder(dir));
    return listed(model.predict(inputs.map(tensor))).map(plain);
  },
  // Loads a compiled model, trains it for some steps, and saves it with the state of its optimizer.
  async train({dir, x, y, steps, to}) {
    const model = await tf.loadLayersModel(fromFolder(dir));
    const losses = [];
    for (let i = 0; i < steps; i++) losses.push(listed(await model.trainOnBatch(tensor(x), tensor(y)))[0]);
    if (to) await model.save(toFolder(to), {includeOptimizer: true});
    return {losses, weights: model.getWeights().map(plain)};
  },
  // Says of each topology whether TF.js takes it.
  async accepts({topology}) {
    const model = await tf.models.modelFromJSON({modelTopology: topology});
    return listed(model.predict(model.inputs.map(i => tf.ones(i.shape.map(n => n || 1), i.dtype)))).map(plain);
  },
  // Runs a graph-model.
  async execute({dir, name, inputs, outputs}) {
    const model = await tf.loadGraphModel(fromFolder(dir, name));
    const feeds = Object.fromEntries(Object.entries(inputs).map(([name, t]) => [name, tensor(t)]));
    return listed(await model.executeAsync(feeds, outputs)).map(plain);
  },
  // Says of each text which programming languages it may be in, the likeliest first.
  async detect({texts}) {
    const {ModelOperations} = require(path.join(process.argv[2], '@vscode', 'vscode-languagedetection'));
    const operations = new ModelOperations();
    return Promise.all(texts.map(text => operations.runModel(text)));
  },
};

(async () => {
  const jobs = JSON.parse(fs.readFileSync(0, 'utf8'));
  const results = [];
  for (const job of jobs) {
    try {
      results.push({result: await JOBS[job.job](job)});
    } catch (error) {
      results.push({error: String(error.message)});
    }
  }
  fs.writeSync(1, JSON.stringify(results, (key, value) =>
    (typeof value === 'number' && !Number.isFinite(value) ? String(value) : value)));
})();
