import {order} from '../shared/order.js';

export let LARGEST = 0;

/** The largest numbers and their places. */
export default function topK(values, k) {
  const sorted = order(values).slice(0, k);
  LARGEST = Math.max(LARGEST, sorted[0].value);
  return {values: sorted.map(item => item.value), indices: sorted.map(item => item.index)};
}

export const normalize = ({low, high = 2}, values) => values.map(v => (v - low) / (high - low));
