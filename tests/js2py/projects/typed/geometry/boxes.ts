import {util} from '@tensorflow/tfjs-core';

import {Box} from '../types';

export type Corner = 'left' | 'right';
export {util};

export function area(box: Box, factor?: number): number {
  return box.width * box.height;
}
