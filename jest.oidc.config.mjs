import base from './jest.config.mjs';

/** Relying parties that others wrote walk every flow of OAuth and OpenID Connect against a running passportsvc (`npm run test:oidc`). */
export default { ...base, testMatch: ['**/*.oidc.ts'] };
