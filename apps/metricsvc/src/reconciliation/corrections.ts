import { Injectable } from '@nestjs/common';
import { PurgeStore } from '@twinyard/events';
import { type SqlTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { MeasurementsRepository } from '../measurements/measurements.repository';
import { SeriesChanges } from '../measurements/series-changes';
import type { Page } from '../rebuild/rebuild-sources';
import { restatementOf, withoutPurged } from '../rebuild/restatement';
import { type Restatement, RestatementsRepository } from '../rebuild/restatements.repository';
import { correctionOf, type DatedDelta, differing, isFresh } from './comparison';
import { ReconciliationRepository, UNKNOWN } from './reconciliation.repository';
import type { Suspect } from './reconciliation-state';

export interface Correction {
  readonly owner: string;
  readonly changes: readonly DatedDelta[];
}

/** Finds what is not measured as its service tells of it, and puts it right. */
@Injectable()
export class Corrections {
  private readonly restatements = new RestatementsRepository();

  constructor(
    private readonly repository: ReconciliationRepository,
    private readonly measurements: MeasurementsRepository,
    private readonly purges: PurgeStore,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  find(aggregates: Page['aggregates']): Promise<Suspect[]> {
    return this.unitOfWork.run(async (tx) => {
      const told = await this.toldOf(tx, aggregates);
      return differing(told, await this.repository.knownOf(tx, told.map(({ owner }) => owner)));
    });
  }

  /**
   * Of these suspects, as their service tells of them once more: where no event came meanwhile, here or there, and nothing was changed within the last
   * hour, one was lost. Others are left for the next round. What is taken over stands for all events up to its number; should the lost one come after all, it
   * changes nothing.
   */
  correct(round: string, suspects: readonly Suspect[], aggregates: Page['aggregates'], now: Date): Promise<Correction[]> {
    const before = new Map(suspects.map((suspect) => [suspect.key, suspect]));
    return this.unitOfWork.run(async (tx) => {
      await this.restatements.lock(tx);
      const told = (await this.toldOf(tx, aggregates)).filter((restatement) => !isFresh(restatement, now));
      const known = await this.repository.knownOf(tx, told.map(({ owner }) => owner));
      const same = differing(told, known).filter(({ key, told: there, known: here }) => before.get(key)?.told === there && before.get(key)?.known === here);
      const lost = new Set(same.map(({ key }) => key));
      const restated = told.filter(({ owner }) => lost.has(owner));
      const corrections = restated.map((restatement) => ({ owner: restatement.owner, changes: correctionOf(restatement, known.get(restatement.owner) ?? UNKNOWN, now) }));
      await this.write(tx, corrections);
      // A service that was restored from a backup counts on from an earlier number: its word stands, and none of its next events is an old one.
      await this.restatements.forget(tx, same.filter(({ told: there, known: here }) => here > there).map(({ key }) => key));
      await this.restatements.restate(tx, round, restated);
      return corrections;
    });
  }

  private async write(tx: SqlTx, corrections: readonly Correction[]): Promise<void> {
    const all = corrections.flatMap((correction) => correction.changes);
    const changes = new SeriesChanges();
    for (const { hour, ...delta } of all) changes.add(new Date(hour), [delta]);
    await this.measurements.lockNamespaces(tx, [...new Set(all.map(({ namespace }) => namespace))]);
    await this.measurements.apply(tx, changes.list());
  }

  private toldOf(tx: SqlTx, aggregates: Page['aggregates']): Promise<Restatement[]> {
    return withoutPurged(tx, this.purges, aggregates.map(restatementOf));
  }
}
