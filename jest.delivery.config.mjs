import base from './jest.config.mjs';

/**
 * What is delivered, as a whole (`npm run test:delivery`): images put together and run, a folder copied and restored, processes killed under
 * the main job. Minutes, so not in `npm test`.
 */
export default { ...base, testMatch: ['**/*.delivery.ts'] };
