import {area} from '../geometry/boxes';
import {Box} from '../types';

export interface TrackerConfig {
  size: number;
  name?: string;
}

export class Tracker {
  private boxes: Box[] = [];

  constructor(private readonly config: TrackerConfig) {}

  add(box: Box, count?: number): void {
    if (this.boxes.length < this.config.size) {
      this.boxes.push(box);
    }
  }

  sizes(): number[] {
    return this.boxes.map(box => area(box));
  }

  async result(): Promise<Box> {
    return this.boxes[0];
  }
}
