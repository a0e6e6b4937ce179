import type { BenchRow } from '../bench-table';
import type { BenchOptions } from '../options';
import { median } from '../statistics';
import { benchBareClaims } from './bare-claims';
import { freshDatabase } from './bench-database';
import { group, latencyOf, rateOf, SHORT, SINGLES } from './job-rows';
import { NAMESPACES, OwnJobs } from './own-jobs';
import { PgBoss } from './pg-boss';
import { PgBossTurns } from './pg-boss-turns';

const CROWD = 1_000_000;
/** Of another tenant, beside a crowd. */
const OTHERS = 60;
const IDLE_MS = 20_000;
/** Of the bare loop, where it has more than one: as many as the pool of a service. */
const CONNECTIONS = 5;

const inWords = (count: number) => count.toLocaleString('en');

/** The jobs of one process, by turns with bare loops that claim and delete one row at a time, and with pg-boss where it can be had; each on a database of its own. */
export async function benchJobs(serverUrl: string, { rounds }: BenchOptions, say: (what: string) => void): Promise<BenchRow[]> {
  const own = await OwnJobs.open(await freshDatabase(serverUrl, 'bench_jobs'));
  const turns = new Turns(own, await freshDatabase(serverUrl, 'bench_bare_jobs'), PgBoss.install(await freshDatabase(serverUrl, 'bench_pg_boss')));
  try {
    for (let round = 1; round <= rounds; round += 1) {
      say(`round ${round} of ${rounds}`);
      await turns.take();
    }
    const beside = turns.rows();
    say('a thousand slow jobs of one tenant');
    const slow = await own.waitBesideSlow();
    return [
      ...beside,
      { group, what: 'wait of another tenant behind 1,000 jobs of 20 ms, 4 at a time', measured: `${slow.toFixed(0)} ms`, value: slow, goal: '< 1 s' },
      ...(await crowds(own, turns.rate, say)),
      { group, what: 'idle runner, of one core', measured: `${(await own.idle(IDLE_MS)).toFixed(2)} %` },
    ];
  } finally {
    await own.close();
  }
}

/** What each has measured, a round at a time. */
class Turns {
  private readonly waits: number[] = [];
  private readonly rates: number[] = [];
  private readonly bare: number[] = [];
  private readonly bareAtOnce: number[] = [];
  private readonly boss: PgBossTurns;

  constructor(private readonly own: OwnJobs, private readonly bareUrl: string, boss: PgBoss | string) {
    this.boss = new PgBossTurns(boss);
  }

  /** Ours, of short jobs a second. */
  get rate(): number {
    return median(this.rates);
  }

  async take(): Promise<void> {
    this.bare.push(await benchBareClaims(this.bareUrl, SHORT, 1));
    this.rates.push(await this.own.throughput(SHORT));
    await this.boss.work();
    this.bareAtOnce.push(await benchBareClaims(this.bareUrl, SHORT, CONNECTIONS));
    this.waits.push(...(await this.own.latencies(SINGLES)));
    await this.boss.wait();
  }

  rows(): BenchRow[] {
    const bare = median(this.bare);
    const short = `${inWords(SHORT)} short jobs of ${NAMESPACES} namespaces, a second`;
    return [
      { group, what: 'enqueue (with its commit) to start, p50 / p99', ...latencyOf(this.waits), goal: 'p50 <= 20 ms' },
      ...this.boss.waitRows(),
      { group, what: `${short}; bare: a loop on one connection`, ...rateOf(this.rate, bare), goal: '>= 1,500, of bare >= 0.6' },
      { group, what: `the same beside that loop on ${CONNECTIONS} connections at once`, ...rateOf(this.rate, median(this.bareAtOnce)) },
      ...this.boss.rateRows(bare),
    ];
  }
}

/** A tenant's million that waits, due or not: what others' short jobs cost then, and how long another's next one waits. `rate`: of short jobs a second without them. */
async function crowds(own: OwnJobs, rate: number, say: (what: string) => void): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [state, are] of [['READY', 'are due'], ['WAITING', 'are due tomorrow']] as const) {
    const crowd = `${inWords(CROWD)} of one tenant that ${are}`;
    say(crowd);
    const beside = await own.besideCrowd(CROWD, state, { count: SHORT, singles: OTHERS });
    const longest = Math.max(...beside.waits);
    rows.push(
      { group, what: `short jobs a second beside ${crowd}; bare: without them`, ...rateOf(beside.rate, rate), goal: 'of bare >= 0.83' },
      { group, what: `the longest wait of ${OTHERS} jobs of another tenant beside them`, measured: `${longest.toFixed(0)} ms`, value: longest, goal: '< 1 s' },
    );
  }
  return rows;
}
