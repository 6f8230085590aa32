import * as tf from '@tensorflow/tfjs';

interface Options {
  units: number;
  label?: string;
}

type Pair = [number, number];

/** Keeps numbers and their mean. */
class Tracker<T extends number> {
  private readonly values: number[] = [];
  public static limit: number = 3;

  constructor(private name: string, public scale = 2) {}

  add(value: number): this {
    this.values.push(value * this.scale);
    return this;
  }

  get mean(): number {
    return this.values.reduce((a: number, b: number): number => a + b, 0) / this.values.length;
  }

  describe(): string {
    return `${this.name}: ${this.mean}`;
  }
}

function build({units, label = 'none'}: Options): tf.Sequential {
  const model: tf.Sequential = tf.sequential();
  model.add(tf.layers.dense({units, inputShape: [1], kernelInitializer: 'ones'}) as tf.layers.Layer);
  console.log(label!);
  return model;
}

const pair: Pair = [1, 2];
const found = build({units: pair[1]});
console.log((found.predict(tf.ones([1, 1])) as tf.Tensor).arraySync());
console.log(new Tracker<number>('t').add(3).add(5).describe(), Tracker.limit);
