import type { BenchRow } from '../bench-table';
import { median } from '../statistics';
import { group, latencyOf, rateOf, SHORT, SINGLES } from './job-rows';
import { HANDS } from './own-jobs';
import type { PgBoss, Shape } from './pg-boss';

/** It has as many in hand as our process; the fastest of these counts. */
const SHAPES: readonly Shape[] = [{ workers: 1, batch: HANDS }, { workers: 2, batch: HANDS / 2 }, { workers: 4, batch: HANDS / 4 }];
/** Without notices, which takes half a second for each. */
const POLLED = 30;

/** Of pg-boss: after the first round in the shape that was the fastest. What fails is told in the row, and keeps nothing else from being measured. */
export class PgBossTurns {
  private readonly waits: number[] = [];
  private readonly polled: number[] = [];
  private readonly rates = new Map<Shape, number[]>(SHAPES.map((shape) => [shape, []]));
  private missing: string | undefined;

  constructor(private readonly boss: PgBoss | string) {
    this.missing = typeof boss === 'string' ? boss : undefined;
  }

  work(): Promise<void> {
    return this.measure(async (boss) => {
      const best = this.best();
      for (const shape of best === undefined ? SHAPES : [best.shape]) this.rates.get(shape)?.push(await boss.throughput(SHORT, shape));
    });
  }

  wait(): Promise<void> {
    return this.measure(async (boss) => {
      this.waits.push(...(await boss.latencies(SINGLES, true)));
      this.polled.push(...(await boss.latencies(POLLED, false)));
    });
  }

  waitRows(): BenchRow[] {
    const { name } = this;
    if (this.missing !== undefined) return [{ group, what: `the same by ${name}`, measured: this.missing }];
    return [
      { group, what: `the same by ${name}, woken by notices`, ...latencyOf(this.waits) },
      { group, what: 'the same by it as it comes, without notices: it polls, each 0.5 s at best', ...latencyOf(this.polled) },
    ];
  }

  rateRows(bare: number): BenchRow[] {
    const best = this.best();
    if (this.missing !== undefined || best === undefined) return [{ group, what: `the same by ${this.name}`, measured: this.missing ?? '' }];
    const { workers, batch } = best.shape;
    return [{ group, what: `the same by ${this.name}, ${workers} x ${batch} at a time, each batch ended as one`, ...rateOf(best.rate, bare) }];
  }

  private get name(): string {
    return typeof this.boss === 'string' ? 'pg-boss' : this.boss.name;
  }

  private best(): { readonly shape: Shape; readonly rate: number } | undefined {
    const measured = [...this.rates].filter(([, rates]) => rates.length > 0).map(([shape, rates]) => ({ shape, rate: median(rates) }));
    return measured.sort((one, other) => other.rate - one.rate)[0];
  }

  private async measure(work: (boss: PgBoss) => Promise<void>): Promise<void> {
    if (typeof this.boss === 'string' || this.missing !== undefined) return;
    await work(this.boss).catch((error: unknown) => {
      this.missing = `failed: ${error instanceof Error ? error.message : String(error)}`;
    });
  }
}
