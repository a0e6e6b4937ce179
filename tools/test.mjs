// `npm test`: builds (the platform tests run the compiled services as processes) and runs every suite.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { build } from './build.mjs';
import { NODE_OPTIONS } from './jest/node-options.mjs';
import { root } from './swc-options.mjs';

await build();
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const result = spawnSync(process.execPath, [...NODE_OPTIONS, jest, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
process.exit(result.status ?? 1);
