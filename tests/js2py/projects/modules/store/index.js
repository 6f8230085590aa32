import {Container} from './basket.js';

export * from '../shared/order.js';
export * as words from '../shared/random.js';
export {Container as Basket};

export function makeBasket(name) {
  return new Container(name);
}
