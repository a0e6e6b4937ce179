export * from './fair-share';
export * from './fair-share-settings';
