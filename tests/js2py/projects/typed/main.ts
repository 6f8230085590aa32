import * as tf from '@tensorflow/tfjs-core';

import {Box, Tracker, TrackerConfig, area} from './index';
import {util as tfutil} from './geometry/boxes';
import type {Point} from './types';

const config: TrackerConfig = {size: 2, name: 'near'};
const tracker = new Tracker(config);
const boxes: Box[] = [{width: 2, height: 3}, {width: 1, height: 1, at: {x: 1, y: 2}}];
tracker.add(boxes[0]);
tracker.add(boxes[1], 5);
const first: Point|undefined = boxes[1].at;
console.log((await tracker.result()).width, area(boxes[0]), first.x, tfutil.sizeFromShape([2, 3]));
console.log(tf.tensor1d(tracker.sizes()).shape[0]);
