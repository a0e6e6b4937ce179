import { type BenchRow, megabytes } from '../bench-table';
import type { BenchOptions } from '../options';
import { type ProcessorClock, ResidentWatch } from '../platform/process-usage';
import { checksumOf, contentOf } from './content';
import type { FileClient } from './file-client';

/** What takes bytes without us. */
export interface BareTransfers {
  /** As its row says it. */
  readonly name: string;
  upload(name: string, content: AsyncIterable<Buffer>, size: number): Promise<void>;
  /** None: compared with `upload`. */
  uploadResumable?(content: AsyncIterable<Buffer>, size: number): Promise<void>;
  download(name: string): Promise<number>;
}

export interface TransferBench {
  readonly files: FileClient;
  readonly bare: BareTransfers;
  readonly clock: ProcessorClock;
  /** Of filesvc. */
  readonly processId: number;
}

const GIBIBYTE = 1024 ** 3;
const RATIO_GOAL = 'ratio >= 0.60';
const MEMORY_GOAL = 'grows by <= 64 MB';

interface Took {
  readonly seconds: number;
  readonly cpu: number;
}

const WAYS = ['bare upload', 'upload', 'bare resumable', 'resumable', 'bare download', 'download'] as const;
type Way = (typeof WAYS)[number];

/** One large file up by both ways and down again, each by turns with the bare store. */
export async function benchTransfers(bench: TransferBench, { fileGigabytes, rounds }: BenchOptions): Promise<BenchRow[]> {
  const { files, bare, clock, processId } = bench;
  const size = fileGigabytes * GIBIBYTE;
  const checksum = checksumOf(size);
  const folder = (await files.makeFolder(`bench transfers ${Date.now()}`))._id;
  const took = new Map<Way, Took[]>(WAYS.map((way) => [way, []]));
  const watch = new ResidentWatch(processId);
  const measure = async <T>(way: Way, work: () => Promise<T>): Promise<T> => {
    const [began, used] = [performance.now(), clock()];
    const made = await work();
    took.get(way)?.push({ seconds: (performance.now() - began) / 1_000, cpu: (clock() - used) / 1_000 });
    return made;
  };
  for (let round = 1; round <= Math.max(2, rounds - 1); round += 1) {
    await measure('bare upload', () => bare.upload('whole', contentOf(size), size));
    const whole = await measure('upload', () => files.uploadStream(folder, `whole ${round}`, contentOf(size), size));
    await measure('bare resumable', async () => bare.uploadResumable?.(contentOf(size), size));
    const pieces = await measure('resumable', () => files.uploadResumable(folder, `pieces ${round}`, { content: contentOf(size), size, checksum }));
    const address = await files.address(whole._id);
    const received = [await measure('bare download', () => bare.download('whole')), await measure('download', () => files.download(address))];
    if (received.some((bytes) => bytes !== size)) throw new Error(`${received.join(' and ')} of ${size} bytes came down`);
    for (const { _id } of [whole, pieces]) await files.remove(_id);
  }
  return [...transferRows(took, bare, size), residentRow(watch, 3 * Math.max(2, rounds - 1) * size)];
}

/** The best of all rounds: what else runs on the machine can only add to it. */
function transferRows(took: ReadonlyMap<Way, readonly Took[]>, bare: BareTransfers, size: number): BenchRow[] {
  const best = (way: Way) => (took.get(way) ?? []).reduce((one, other) => (other.seconds < one.seconds ? other : one), { seconds: Infinity, cpu: 0 });
  const row = (what: string, way: Way, against: Way): BenchRow => {
    const [ours, theirs] = [best(way), best(against)];
    const rate = (seconds: number) => `${Math.round(size / 1e6 / seconds)} MB/s`;
    return {
      group: 'files', what: `${what} ${size / GIBIBYTE} GB; bare: ${bare.name}`, measured: rate(ours.seconds), value: size / ours.seconds,
      bare: rate(theirs.seconds), ratio: (theirs.seconds / ours.seconds).toFixed(2), cpu: `${ours.cpu.toFixed(2)} s`, goal: RATIO_GOAL,
    };
  };
  return [
    row('upload, multipart,', 'upload', 'bare upload'),
    row('upload, resumable,', 'resumable', bare.uploadResumable === undefined ? 'bare upload' : 'bare resumable'),
    row('download', 'download', 'bare download'),
  ];
}

function residentRow(watch: ResidentWatch, passed: number): BenchRow {
  const { before, peak } = watch.end();
  return {
    group: 'files', what: `resident memory of filesvc while ${passed / GIBIBYTE} GB pass`, value: peak,
    measured: `${megabytes(before)} + ${megabytes(peak - before)}`, goal: MEMORY_GOAL,
  };
}
