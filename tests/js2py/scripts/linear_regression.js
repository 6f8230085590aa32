import * as tf from '@tensorflow/tfjs';

// Fit a line by hand: y = a * x + b.
const a = tf.variable(tf.scalar(0.1));
const b = tf.variable(tf.scalar(0));

const numIterations = 40;
const learningRate = 0.2;
const optimizer = tf.train.sgd(learningRate);

function predict(x) {
  return tf.tidy(() => a.mul(x).add(b));
}

function loss(predictions, labels) {
  // The mean of the squared distances.
  return predictions.sub(labels).square().mean();
}

async function train(xs, ys, numIterations) {
  for (let iter = 0; iter < numIterations; iter++) {
    const cost = optimizer.minimize(() => {
      const pred = predict(xs);
      return loss(pred, ys);
    }, true);
    if (iter % 10 === 0) {
      console.log(`iteration ${iter}: ${cost.dataSync()[0].toFixed(4)}`);
    }
    await tf.nextFrame();
  }
}

function generateData(numPoints, coeff, sigma = 0) {
  return tf.tidy(() => {
    const xs = tf.linspace(-1, 1, numPoints);
    const ys = xs.mul(coeff.a).add(coeff.b).add(sigma);
    return {xs, ys};
  });
}

async function learn() {
  const trueCoefficients = {a: -0.8, b: 0.5};
  const trainingData = generateData(20, trueCoefficients);
  console.log('before:', a.dataSync()[0], b.dataSync()[0]);
  await train(trainingData.xs, trainingData.ys, numIterations);
  console.log('after:', a.dataSync()[0], b.dataSync()[0]);
}

learn();
