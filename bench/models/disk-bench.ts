import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type BenchRow, megabytes, seconds } from '../bench-table';
import { usageByName } from '../platform/process-usage';
import { ROOT } from './large-model';

const LOOK_MS = 50;
const CHUNK_BYTES = 65_536;
/** As `IFC_MEMORY_MB` is without a word. */
const DEFAULT_MEMORY_MB = 1_536;

/** Of the service, as it is compiled; its code is not a library of the benchmarks. */
interface CompiledReader {
  readonly IfcReader: new (terms: object) => { read(source: object, reading: Reading): Promise<{ close(): Promise<void> }> };
}

interface Reading {
  readonly signal: AbortSignal;
  readonly namespaces: readonly string[];
  downloaded(bytes: number): Promise<void>;
  read(things: number, total: number): Promise<void>;
  worked(ms: number): void;
}

const READING: Reading = { signal: new AbortController().signal, namespaces: ['bench'], downloaded: async () => undefined, read: async () => undefined, worked: () => undefined };

/** The reading of a model as an import does it, from disk to disk: what its process takes. */
export async function benchDisk(bytes: Buffer): Promise<BenchRow[]> {
  const { IfcReader } = (await import(join(ROOT, 'dist', 'apps', 'datasourcesvc', 'src', 'ifc', 'on-disk', 'ifc-reader.js'))) as CompiledReader;
  const reader = new IfcReader({ fileMb: 1_024, memoryMb: DEFAULT_MEMORY_MB, seconds: 3_600 });
  const source = { known: { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }, bytes: () => chunksOf(bytes) };
  let peak = 0;
  const look = setInterval(() => { peak = Math.max(peak, childBytes()); }, LOOK_MS);
  const before = performance.now();
  try {
    const model = await reader.read(source, READING);
    await model.close();
  } finally {
    clearInterval(look);
  }
  const of = `a model of ${megabytes(bytes.length)} from disk to disk`;
  return [
    { group: 'models', what: `read ${of}`, measured: seconds(performance.now() - before) },
    { group: 'models', what: `peak of the process that reads ${of}`, measured: megabytes(peak), goal: '1,500 MB' },
  ];
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

const childBytes = () => usageByName(process.pid, (command) => (command.includes('ifc-child.js') ? 'child' : 'others')).get('child')?.rss ?? 0;
