export interface Point {
  x: number;
  y: number;
}

export declare interface Box {
  width: number;
  height: number;
  at?: Point;
}
