// `npm run test:engines`: the suites on real engines. Installs them first, once for all clones of a machine, and says what it
// cannot have; those suites are then skipped by name. `--try-cannot` runs only what deploy/engines/cannot.txt lists. One S3 server is enough
// for every day: MinIO, which takes minutes to compile, comes with ENGINES_ALL=1.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { NODE_OPTIONS } from './jest/node-options.mjs';
import { root } from './swc-options.mjs';

const NOT_ALL_INSTALLED = 3;
const args = process.argv.slice(2);
const tries = args.includes('--try-cannot');
const run = (...rest) => spawnSync(process.execPath, [...NODE_OPTIONS, ...rest], { cwd: root, stdio: 'inherit' }).status ?? 1;

await build();
const installed = run(join(root, 'dist', 'deploy', 'engines', 'src', 'main.js'), 'install', 'kafka', 'mongo', 'versitygw', ...(process.env.ENGINES_ALL === '1' ? ['minio'] : []));
if (installed !== 0 && installed !== NOT_ALL_INSTALLED) process.exit(installed);

const folder = mkdtempSync(join(tmpdir(), 'twinyard-skips-'));
process.env.TWINYARD_ENGINE_SKIPS ??= join(folder, 'skips');
if (tries) process.env.ENGINES_TRY_CANNOT = 'true';
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const status = run(jest, '--config', join(root, 'jest.engines.config.mjs'), ...args.filter((arg) => arg !== '--try-cannot'));
rmSync(folder, { recursive: true, force: true });
process.exit(status);
