import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@twinyard/service-kit/process';
import { SERVICES } from '@twinyard/conventions';
import { Pool } from 'undici';
import { type BenchRow, perSecond } from '../bench-table';
import type { BenchOptions } from '../options';
import { processorClock } from '../platform/process-usage';
import { drive, type Load, medianLoad, processorTime } from '../statistics';

const GATEWAY = join(__dirname, '..', '..', 'tools', 'platform', 'gateway', 'main.js');
const CONNECTIONS = [1, 16, 64];
const PATH = '/itemsvc/api/v1/nameduseritems';
const BODY = JSON.stringify([{ _name: 'One', text: 'y'.repeat(300) }]);

interface Way {
  readonly name: string;
  readonly init: { readonly method: 'GET' | 'POST'; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };
}
const WAYS: readonly Way[] = [
  { name: 'GET of 0.5 KB', init: { method: 'GET' } },
  { name: 'POST of 0.3 KB', init: { method: 'POST', body: BODY, headers: { 'content-type': 'application/json' } } },
];

/** What the way through the gateway costs: the same requests past it to a server that does nothing, and through it. */
export async function benchGateway(options: BenchOptions): Promise<BenchRow[]> {
  const upstream = start(join(__dirname, 'bare-upstream.js'), {});
  const gatewayPort = await freePort();
  const [line] = (await once(createInterface({ input: upstream.stdout as NodeJS.ReadableStream }), 'line')) as [string];
  const url = `http://127.0.0.1:${line}`;
  const addresses = Object.fromEntries(SERVICES.map((service) => [service === 'passportsvc' ? 'PASSPORT_URL' : `${service.toUpperCase()}_URL`, url]));
  const gateway = start(GATEWAY, { ...addresses, PORT: String(gatewayPort), HOST: '127.0.0.1', BASE_URL: 'http://twins.example' });
  try {
    await once(createInterface({ input: gateway.stdout as NodeJS.ReadableStream }), 'line'); // it says that it listens
    const rows: BenchRow[] = [];
    for (const way of WAYS) for (const connections of CONNECTIONS) rows.push(await compare(way, connections, { bare: url, ours: `http://127.0.0.1:${gatewayPort}`, gateway, options }));
    return rows;
  } finally {
    for (const child of [gateway, upstream]) child.kill('SIGTERM');
  }
}

interface Sides {
  readonly bare: string;
  readonly ours: string;
  readonly gateway: ChildProcess;
  readonly options: BenchOptions;
}

async function compare({ name, init }: Way, connections: number, { bare, ours, gateway, options }: Sides): Promise<BenchRow> {
  const clock = processorClock(gateway.pid ?? 0);
  const round = async (origin: string): Promise<Load> => {
    const pool = new Pool(origin, { connections });
    try {
      return await drive(options.gets, connections, async () => (await pool.request({ path: PATH, ...init })).body.dump(), clock);
    } finally {
      await pool.close();
    }
  };
  const loads: Record<'bare' | 'ours', Load[]> = { bare: [], ours: [] };
  for (let count = 0; count < options.rounds; count += 1) {
    loads.bare.push(await round(bare));
    loads.ours.push(await round(ours));
  }
  const [past, through] = [medianLoad(loads.bare), medianLoad(loads.ours)];
  return {
    group: 'gateway', what: `${name}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`, measured: `${perSecond(through.perSecond)}/s`, bare: `${perSecond(past.perSecond)}/s`,
    ratio: (through.perSecond / past.perSecond).toFixed(2), ...processorTime(through), value: through.perSecond,
  };
}

const start = (program: string, environment: Readonly<Record<string, string>>): ChildProcess =>
  spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'production', ...environment } });
