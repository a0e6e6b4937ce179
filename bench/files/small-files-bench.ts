import { randomBytes } from 'node:crypto';
import { type BenchRow, perSecond } from '../bench-table';
import type { BenchOptions } from '../options';
import type { ProcessorClock } from '../platform/process-usage';
import { drive, processorTime } from '../statistics';
import type { FileClient } from './file-client';

const SIZE = 1_000;
/** So many have one text among them. The others are noise: pictures of thousands of texts would be drawn for minutes before lists can be measured. */
const ONE_TEXT_IN = 20;
const GOAL = '>= 300/s';
/** Parts of one request. */
const FORMS = [1, 20] as const;

export interface SmallFilesBench {
  readonly files: FileClient;
  readonly clock: ProcessorClock;
  /** Resolves when what the uploads have caused is done. */
  readonly afterUploads: () => Promise<void>;
}

/** Many small files into one folder, one and several a request; then, alone, one of them read again and again. */
export async function benchSmallFiles({ files, clock, afterUploads }: SmallFilesBench, { connections, gets, smallFiles }: BenchOptions): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  let last = '';
  for (const parts of FORMS) {
    const folder = (await files.makeFolder(`bench small files, ${parts} a request ${Date.now()}`))._id;
    const fileAt = (index: number) => ({ name: `reading ${index}.bin`, content: index % ONE_TEXT_IN === 0 ? Buffer.alloc(SIZE, `reading ${index}\n`) : randomBytes(SIZE) });
    const load = await drive(Math.ceil(smallFiles / parts), connections, async (request) => {
      const made = await files.upload(folder, Array.from({ length: parts }, (_, index) => fileAt(request * parts + index)));
      if (made.length !== parts) throw new Error(`${made.length} of ${parts} files`);
      last = made[0]?._id ?? '';
    }, clock);
    rows.push({
      group: 'files', what: `${smallFiles.toLocaleString('en')} files of 1 KB into one folder, ${parts} a request, ${connections} connections`,
      measured: `${perSecond(load.perSecond * parts)} files/s`, value: load.perSecond * parts, goal: GOAL, ...processorTime({ ...load, cpuMs: load.cpuMs / parts }),
    });
  }
  await afterUploads();
  const address = await files.address(last);
  const reads: Readonly<Record<string, () => Promise<unknown>>> = { 'get by id': () => files.get(last), 'address of a content': () => files.get(last, '/url'), 'download of 1 KB': () => files.download(address) };
  for (const [what, read] of Object.entries(reads)) {
    await drive(Math.ceil(gets / 4), connections, read);
    const load = await drive(gets, connections, read, clock);
    rows.push({ group: 'files', what: `${what}, ${connections} connections`, measured: `${perSecond(load.perSecond)}/s (p50 ${load.p50Ms.toFixed(1)} ms)`, value: load.perSecond, ...processorTime(load) });
  }
  return rows;
}
