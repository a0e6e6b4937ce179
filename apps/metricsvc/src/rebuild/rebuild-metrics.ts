import { type AggregateState, SqlPurgeStore } from '@twinyard/events';
import type { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { MeasuredType } from '../measurements/subjects';
import { type RebuildSources, SOURCE_TOPICS, type SourceTopic, TOPIC_OF_SUBJECT } from './rebuild-sources';
import { restatementOf, withoutPurged } from './restatement';
import { RestatementsRepository } from './restatements.repository';
import { SeriesRepository } from './series.repository';

export interface RebuildOptions {
  /** Names this rebuild: a UUID. */
  readonly id: string;
  /** Throw all points away and make them anew, instead of correcting where series end. */
  readonly history: boolean;
  readonly report: (line: string) => void;
}

type Aggregates = readonly AggregateState<MeasuredType>[];

/** How often an aggregate is read anew because another event of it was counted meanwhile. */
const MAX_ROUNDS = 50;

/**
 * Recomputes what metricsvc keeps from what the other services keep, while events go on being counted. Each aggregate comes with the
 * number of its last event: what is taken over stands for all events up to that number, and those that arrive later are counted
 * as ever. Every step leaves a whole state, so a rebuild may be stopped, run again, and run twice at once.
 */
export class RebuildMetrics {
  private readonly restatements = new RestatementsRepository();
  private readonly series = new SeriesRepository();
  private readonly purges = new SqlPurgeStore();

  constructor(
    private readonly sources: RebuildSources,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  async run({ id, history, report }: RebuildOptions): Promise<void> {
    for (const topic of SOURCE_TOPICS) report(`${topic}: ${await this.takeOver(id, topic)} aggregates`);
    report(`${await this.takeOverLeftovers(id)} that no page had named`);
    const written = await this.unitOfWork.run(async (tx) => {
      await this.restatements.lock(tx);
      return history ? this.series.rewrite(tx) : this.series.correct(tx);
    });
    report(history ? `${written} points made anew. They tell of what there is now: what was deleted before is in none of them` : `${written} series corrected; earlier points stay`);
  }

  private async takeOver(id: string, topic: SourceTopic): Promise<number> {
    let count = 0;
    for (let after: string | undefined, isLast = false; !isLast; ) {
      const page = await this.sources.next(topic, after);
      await this.settle(id, topic, page.aggregates);
      count += page.aggregates.length;
      after = page.next;
      isLast = after === undefined;
    }
    return count;
  }

  /** Owners that were made behind the reader's back, and those that nobody knows. */
  private async takeOverLeftovers(id: string): Promise<number> {
    let count = 0;
    for (;;) {
      const leftovers = await this.unitOfWork.run((tx) => this.restatements.leftovers(tx, id));
      if (leftovers.length === 0) return count;
      for (const topic of SOURCE_TOPICS) {
        const keys = leftovers.filter(({ kind }) => (TOPIC_OF_SUBJECT[kind] ?? SOURCE_TOPICS[0]) === topic).map(({ owner }) => owner);
        if (keys.length > 0) await this.settle(id, topic, await this.sources.read(topic, keys));
      }
      count += leftovers.length;
    }
  }

  /** Takes these aggregates over; those that have moved on meanwhile are read again until they have not. */
  private async settle(id: string, topic: SourceTopic, aggregates: Aggregates): Promise<void> {
    let open = aggregates;
    for (let round = 0; open.length > 0; round += 1) {
      if (round === MAX_ROUNDS) throw new Error(`${topic} is written faster than it can be read; run the rebuild again`);
      const ahead = await this.restate(id, open);
      if (ahead.size === 0) return;
      open = await this.sources.read(topic, [...ahead.keys()]);
      const goneBack = open.filter(({ key, sequence }) => sequence < (ahead.get(key) ?? 0)).map(({ key }) => key);
      if (goneBack.length > 0) open = await this.followBack(topic, open, goneBack);
    }
  }

  /**
   * A service that was restored from a backup counts on from an earlier number than the one known here. Its word stands: the later
   * numbers are forgotten first, so that from now on no event is taken for an old one, and then it is read once more.
   */
  private async followBack(topic: SourceTopic, open: Aggregates, owners: readonly string[]): Promise<Aggregates> {
    await this.unitOfWork.run(async (tx) => {
      await this.restatements.lock(tx);
      await this.restatements.forget(tx, owners);
    });
    return [...open.filter(({ key }) => !owners.includes(key)), ...(await this.sources.read(topic, owners))];
  }

  private restate(id: string, aggregates: Aggregates): Promise<ReadonlyMap<string, number>> {
    const restatements = aggregates.map(restatementOf);
    return this.unitOfWork.run(async (tx) => {
      await this.restatements.lock(tx);
      const ahead = await this.restatements.ahead(tx, restatements);
      const told = restatements.filter(({ owner }) => !ahead.has(owner));
      const stated = await withoutPurged(tx, this.purges, told);
      await this.restatements.restate(tx, id, stated);
      const kept = new Set(stated.map(({ owner }) => owner));
      await this.restatements.forget(tx, told.map(({ owner }) => owner).filter((owner) => !kept.has(owner)));
      return ahead;
    });
  }
}
