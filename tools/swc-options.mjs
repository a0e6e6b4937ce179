// One compiler setting for the build and for Jest: decorators with their metadata (Nest and class-validator read it), CommonJS out.
import { fileURLToPath } from 'node:url';
import { dirname, resolve } from 'node:path';
import { readFileSync } from 'node:fs';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { compilerOptions } = JSON.parse(readFileSync(resolve(root, 'tsconfig.base.json'), 'utf8'));

export const swcOptions = {
  swcrc: false,
  configFile: false,
  sourceMaps: true,
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
    baseUrl: root,
    paths: compilerOptions.paths,
  },
  // Drivers of stores that a process may not have: required when they are first used. MongoDB's takes 7 MB of heap, MinIO's 10.
  module: { type: 'commonjs', lazy: ['mongodb', 'minio'] },
};
