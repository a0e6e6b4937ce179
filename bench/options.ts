import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const GROUPS = ['platform', 'idle', 'items', 'small', 'replicas', 'peers', 'identity', 'files', 'jobs', 'runs', 'models', 'gateway'] as const;
export type Group = (typeof GROUPS)[number];

export interface BenchOptions {
  readonly groups: readonly Group[];
  /** Path of a second IFC model to import beside the sample; `undefined` when there is none. */
  readonly model: string | undefined;
  /** Items created through each way, in requests of `batch`. */
  readonly items: number;
  readonly batch: number;
  /** Items that the reads and searches find in three collections. */
  readonly stored: number;
  /** Where the curve of growth ends. */
  readonly largest: number;
  /** Requests of each way in a round of reads, on `connections` connections. */
  readonly gets: number;
  readonly lists: number;
  /** Readings of the year that buckets are made of. */
  readonly readings: number;
  /** Client-credentials tokens in a round. */
  readonly tokens: number;
  /** Size of a large file. */
  readonly fileGigabytes: number;
  /** Files of 1 KB in each form of upload. */
  readonly smallFiles: number;
  /** Writes of one record each, in a round of each form. */
  readonly smallWrites: number;
  /** Size of a large IFC model. */
  readonly modelMegabytes: number;
  /** Files and folders of the tree that lists are drawn from. */
  readonly files: number;
  readonly connections: number;
  readonly rounds: number;
  /** For how long the platform is watched while nobody asks anything of it. */
  readonly idleSeconds: number;
  /** Items too are measured on engines, in a twentieth of the size: the stand-in for MongoDB says nothing of speed. */
  readonly engines: boolean;
}

/** `dist/bench` lies two folders below the repository. */
const root = join(__dirname, '..', '..');
const DEFAULT_MODEL = join(root, '..', 'shared', 'data', 'duplex.ifc');

const count = (name: string, text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: a whole number above 0`);
  return value;
};

export function readBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      model: { type: 'string' },
      items: { type: 'string', default: '10000' },
      batch: { type: 'string', default: '1000' },
      stored: { type: 'string', default: '200000' },
      largest: { type: 'string', default: '100000' },
      gets: { type: 'string', default: '1500' },
      lists: { type: 'string', default: '150' },
      readings: { type: 'string', default: '5000000' },
      tokens: { type: 'string', default: '3000' },
      'file-gigabytes': { type: 'string', default: '1' },
      'small-files': { type: 'string', default: '5000' },
      'small-writes': { type: 'string', default: '2000' },
      'model-megabytes': { type: 'string', default: '300' },
      files: { type: 'string', default: '100000' },
      connections: { type: 'string', default: '16' },
      rounds: { type: 'string', default: '3' },
      'idle-seconds': { type: 'string', default: '60' },
      engines: { type: 'boolean', default: false },
    },
  });
  const {
    model, engines, 'idle-seconds': idleSeconds, 'file-gigabytes': fileGigabytes, 'small-files': smallFiles, 'small-writes': smallWrites, 'model-megabytes': modelMegabytes, ...sizes
  } = values;
  return {
    ...(Object.fromEntries(Object.entries(sizes).map(([name, text]) => [name, count(name, text)])) as Record<keyof typeof sizes, number>),
    groups: groupsOf(positionals),
    engines,
    model: modelOf(model),
    smallFiles: count('small-files', smallFiles),
    smallWrites: count('small-writes', smallWrites),
    modelMegabytes: count('model-megabytes', modelMegabytes),
    fileGigabytes: count('file-gigabytes', fileGigabytes),
    idleSeconds: count('idle-seconds', idleSeconds),
  };
}

function groupsOf(names: readonly string[]): readonly Group[] {
  const unknown = names.find((name) => !GROUPS.some((group) => group === name));
  if (unknown !== undefined) throw new Error(`There is no group ${unknown}. There is: ${GROUPS.join(', ')}`);
  return names.length === 0 ? GROUPS : GROUPS.filter((group) => names.includes(group));
}

function modelOf(given: string | undefined): string | undefined {
  if (given !== undefined && !existsSync(given)) throw new Error(`--model: there is no file ${given}`);
  if (given !== undefined) return resolve(given);
  return existsSync(DEFAULT_MODEL) ? DEFAULT_MODEL : undefined;
}
