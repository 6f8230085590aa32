export {mean} from './mean.js';
export const LIMITS = {low: 0, high: 10};

export function spread(values) {
  return {width: Math.max(...values) - Math.min(...values)};
}
