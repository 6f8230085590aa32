// A line is found by the graph of deeplearn.js, and then used.
const {Array1D, Array2D, CostReduction, Graph, NDArrayMathCPU, Scalar, Session, SGDOptimizer} = require('deeplearn');

const RATE = 0.02;

/**
 * Gives examples one after the other, over and over.
 * @param {number[]} values The examples.
 */
class Examples {
  constructor(values) {
    this.arrays = values.map(value => Array1D.new([value]));
    this.next = 0;
  }
  getNextCopy(math) {
    const array = this.arrays[this.next];
    this.next = this.next + 1 < this.arrays.length ? this.next + 1 : 0;
    return array;
  }
  disposeCopy(math, copy) {}
}

class Line {
  constructor(math) {
    this.math = math;
    const graph = new Graph();
    this.input = graph.placeholder('input', [1]);
    this.target = graph.placeholder('target', [1]);
    const weight = graph.variable('weight', Array2D.new([1, 1], [0.5]));
    const bias = graph.variable('bias', Array1D.new([0]));
    const product = graph.matmul(graph.reshape(this.input, [1, 1]), weight);
    this.output = graph.add(graph.reshape(product, [1]), bias);
    this.cost = graph.meanSquaredCost(this.output, this.target);
    this.session = new Session(graph, math);
    this.optimizer = new SGDOptimizer(RATE);
  }

  async train(xs, ys, steps) {
    const feeds = [
      {tensor: this.input, data: new Examples(xs)},
      {tensor: this.target, data: new Examples(ys)},
    ];
    let last = 0;
    for (let step = 0; step < steps; step++) {
      await this.math.scope(async () => {
        const cost = this.session.train(this.cost, feeds, 1, this.optimizer, CostReduction.MEAN);
        last = cost.get();
      });
    }
    return last;
  }

  predict(x) {
    return this.math.scope((keep, track) => {
      const fed = track(Array1D.new([x]));
      return this.session.eval(this.output, [{tensor: this.input, data: fed}]);
    });
  }
}

async function run() {
  const math = new NDArrayMathCPU();
  const line = new Line(math);
  console.log('cost', await line.train([1, 2, 3], [3, 5, 7], 12));
  const found = line.predict(4);
  console.log(found.shape, found.getValues()[0], found.get(0));
  const doubled = math.multiply(found, Scalar.new(2));
  console.log((await doubled.data())[0], math.slice1D(doubled, 0, 1).size, doubled.as2D(1, 1).shape);
}

run();
