import { Client } from 'pg';
import type { BenchRow } from '../bench-table';
import type { BenchOptions } from '../options';
import type { ProcessorClock } from '../platform/process-usage';
import { drive, type Load, medianLoad, processorTime } from '../statistics';
import type { FileClient } from './file-client';
import type { FileTree } from './file-tree';

const PAGE_SIZE = 200;
const GOAL = '<= 15 ms';

/** Who asks: the owner of all, somebody with folders at different depths, and somebody with 500 single files. */
export type Callers = Readonly<Record<'owner' | 'folders' | 'singles', string>>;

export interface ListBench {
  readonly files: FileClient;
  readonly clock: ProcessorClock;
  readonly tree: FileTree;
  readonly callers: Callers;
  readonly databaseUrl: string;
}

interface List {
  readonly what: string;
  readonly query: string;
  readonly caller: keyof Callers;
  readonly goal?: string;
}

const listsOf = ({ flat, flatSize, files, granted }: FileTree): readonly List[] => [
  { what: `${PAGE_SIZE} of ${files.toLocaleString('en')} files, owner of the namespace`, query: '', caller: 'owner', goal: GOAL },
  { what: `${PAGE_SIZE} of ${files.toLocaleString('en')} files, ten folders granted`, query: '', caller: 'folders', goal: GOAL },
  { what: `${PAGE_SIZE} of ${files.toLocaleString('en')} files, 500 files granted`, query: '', caller: 'singles', goal: GOAL },
  { what: `children of a folder of ${flatSize.toLocaleString('en')}`, query: `&_parents=${flat}`, caller: 'owner' },
  { what: 'children of a granted folder', query: `&_parents=${granted[0]}`, caller: 'folders' },
  { what: 'by name, its beginning', query: `&_name=${encodeURIComponent('^Drawing 500')}`, caller: 'owner' },
  { what: 'by name, its end', query: `&_name=${encodeURIComponent('76\\.pdf$')}`, caller: 'owner' },
  { what: 'by name, a part of it', query: '&_name=777', caller: 'owner' },
  { what: 'by name, an expression', query: `&_name=${encodeURIComponent('7{3}')}`, caller: 'owner' },
  { what: 'by a rare tag', query: '&_tags=rare', caller: 'owner' },
  { what: 'by type and status', query: '&_type=file&_status=UPLOAD_COMPLETED', caller: 'owner' },
];

/** Lists of one tree, one request after the other; each total is compared with what the tables say. */
export async function benchLists({ files, clock, tree, callers, databaseUrl }: ListBench, { lists, rounds }: BenchOptions): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const covered = await coveredBy(databaseUrl, tree.granted);
  const totals: Readonly<Record<keyof Callers, number>> = { owner: tree.files, folders: covered, singles: tree.singles.length };
  for (const { what, query, caller, goal } of listsOf(tree)) {
    const list = async () => {
      const { _total, _list } = await files.list(`${query}&_pageSize=${PAGE_SIZE}`, callers[caller]);
      if ((query === '' && _total !== totals[caller]) || _list.length !== Math.min(PAGE_SIZE, _total) || _total === 0) throw new Error(`${what}: ${_list.length} of ${_total}`);
    };
    const loads: Load[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const measured = await drive(Math.ceil(lists / 5), 1, list, clock);
      if (round > 0) loads.push(measured);
    }
    const load = medianLoad(loads);
    rows.push({ group: 'files', what: `list, ${what}`, measured: `p50 ${load.p50Ms.toFixed(1)} ms, p99 ${load.p99Ms.toFixed(1)} ms`, value: load.p50Ms, ...(goal && { goal }), ...processorTime(load) });
  }
  return rows;
}

/** There and back, since the first time warms nothing up. */
export async function benchMove(files: FileClient, { moved, movedSize, target }: FileTree): Promise<BenchRow> {
  const took: number[] = [];
  for (const parent of [target, undefined, target, undefined]) {
    const began = performance.now();
    await files.move(moved, 'bench moved', parent);
    took.push(performance.now() - began);
  }
  return { group: 'files', what: `move of a folder with ${movedSize.toLocaleString('en')} files, eight levels down and back`, measured: `${Math.min(...took).toFixed(0)} to ${Math.max(...took).toFixed(0)} ms`, value: Math.min(...took) };
}

async function coveredBy(url: string, granted: readonly string[]): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ covered: string }>('SELECT count(DISTINCT descendant_id) AS covered FROM file_tree WHERE ancestor_id = ANY ($1::uuid[])', [granted]);
    return Number(rows[0]?.covered);
  } finally {
    await client.end();
  }
}
