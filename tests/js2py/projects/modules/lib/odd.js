import {isEven} from './even.js';

export const isOdd = n => n === 0 ? false : isEven(n - 1);
