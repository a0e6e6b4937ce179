import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoClient } from '../tour/steps/demo-client';
import { firstRequests } from './first-requests';

/** Written by the tour of the first start. */
export const demoClientFile = (dataDir: string): string => join(dataDir, 'secrets', 'demo-client');

/** What is printed behind the first tour: lines to copy into a shell. */
export function tryIt(dataDir: string): string {
  const file = demoClientFile(dataDir);
  const { bash, powerShell } = firstRequests(readDemoClient(file));
  return `\n  The rooms of that building, in bash:\n${bash}\n  or in PowerShell:\n${powerShell}\n  Id and secret of this client, which may do everything in that project alone, are kept in ${file}`;
}

/** `NAME=value` lines. */
export const readDemoClient = (file: string): DemoClient =>
  Object.fromEntries(readFileSync(file, 'utf8').trim().split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])) as unknown as DemoClient;
