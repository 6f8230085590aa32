import {sum as total} from '../shared/order.js';

export function mean(values) {
  return total(values) / values.length;
}
