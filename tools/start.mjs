// `npm start`: builds what changed and runs the platform in this process, so that Ctrl-C and SIGTERM reach it directly.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { root } from './swc-options.mjs';

process.title = 'twinyard';
process.chdir(root);
const began = Date.now();
const compiled = await build();
if (compiled > 0) console.log(`build: ${compiled} files compiled in ${((Date.now() - began) / 1000).toFixed(1)} s`);
await import(pathToFileURL(join(root, 'dist', 'tools', 'platform', 'main.js')));
