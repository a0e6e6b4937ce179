export * from './fair-share';
export * from './fair-share-settings';
export { enterPlaces, type Entering, inPlaces, OneAtATime } from './in-places';
