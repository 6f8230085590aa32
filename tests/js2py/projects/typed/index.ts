export * from './types';
export {Tracker, TrackerConfig} from './tracking/tracker';
export {area, Corner as Edge} from './geometry/boxes';
