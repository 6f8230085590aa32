import * as tf from '@tensorflow/tfjs';

const NUM_EXAMPLES = 12;

// Examples as a generator makes them.
function* examples() {
  for (let i = 0; i < NUM_EXAMPLES; i++) {
    yield {xs: [i / NUM_EXAMPLES, 1], ys: [i % 2 ? 1 : 0]};
  }
}

async function run() {
  const dataset = tf.data.generator(examples).batch(4);
  const model = tf.sequential();
  model.add(tf.layers.dense({units: 1, inputShape: [2], kernelInitializer: 'zeros'}));
  model.compile({optimizer: tf.train.sgd(0.1), loss: 'meanSquaredError'});
  const {history} = await model.fitDataset(dataset, {
    epochs: 3,
    verbose: 0,
    callbacks: {onEpochEnd: (epoch, logs) => console.log(epoch, logs.loss)},
  });
  console.log(history.loss.length);

  let rows = 0;
  await tf.data.array([1, 2, 3, 4, 5]).skip(1).take(3).filter(x => x !== 3).forEachAsync(x => {
    rows += x;
  });
  console.log(rows);
  const zipped = tf.data.zip({a: tf.data.array([1, 2]), b: tf.data.array(['x', 'y'])});
  for (const pair of await zipped.toArray()) {
    console.log(pair.a, pair.b);
  }
}

run();
