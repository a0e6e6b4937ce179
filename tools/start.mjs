// `npm start`: builds what changed and runs the platform in this process, so that Ctrl-C and SIGTERM reach it directly.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './swc-options.mjs';

process.title = 'twinyard';
process.chdir(root);
// In a process of its own: the compiler, and all sources, would stay in the memory of this one.
const { status } = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs'), '--quiet'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
await import(pathToFileURL(join(root, 'dist', 'tools', 'platform', 'main.js')));
