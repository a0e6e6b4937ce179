// `node tools/run.mjs <compiled file> …`: builds what changed and runs a tool of the repository in a process of its own.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';
import { root } from './swc-options.mjs';

const [file = '', ...args] = process.argv.slice(2);
await build();
const { status } = spawnSync(process.execPath, ['--enable-source-maps', join(root, 'dist', file), ...args], { stdio: 'inherit' });
process.exit(status ?? 1);
