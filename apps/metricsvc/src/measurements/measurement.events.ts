import { Injectable } from '@nestjs/common';
import { OnEvent, PurgeStore } from '@twinyard/events';
import type { SqlTx } from '@twinyard/service-kit';
import { type Contribution, deltasBetween, type SeriesDelta } from './contribution';
import { MeasurementsRepository } from './measurements.repository';
import { MEASURED_TYPES, type MeasuredEvent, type Statement, statementOf } from './subjects';

/** Keeps the series up to date with what happens in the other services; nothing else writes them. */
@Injectable()
export class MeasurementEvents {
  constructor(
    private readonly measurements: MeasurementsRepository,
    private readonly purges: PurgeStore,
  ) {}

  @OnEvent(...MEASURED_TYPES)
  async measure(tx: SqlTx, event: MeasuredEvent): Promise<void> {
    const statement = statementOf(event);
    const hour = startOfHour(event.timestamp);
    await this.state(tx, hour, statement, event.sequence);
    for (const subject of statement.endsParts ?? []) await this.state(tx, hour, { subject, owner: statement.owner, contributions: [] }, event.sequence);
    if (statement.endsOwner !== true) return;
    for (const owned of await this.measurements.lockOwned(tx, statement.owner)) {
      await this.replace(tx, hour, owned, { sequence: event.sequence, contributions: [] });
    }
  }

  /** A statement that is older than the last one known says nothing any more. */
  private async state(tx: SqlTx, hour: Date, { subject, owner, contributions }: Statement, sequence: number): Promise<void> {
    const last = await this.measurements.lock(tx, subject, owner);
    if (sequence <= last.sequence || (await this.measurements.isOutdated(tx, owner, sequence))) return;
    await this.replace(tx, hour, last, { sequence, contributions: await this.counted(tx, contributions) });
  }

  /** What is told late of a purged namespace counts for nothing. */
  private async counted(tx: SqlTx, contributions: readonly Contribution[]): Promise<readonly Contribution[]> {
    if (contributions.length === 0) return contributions;
    const purged = await this.purges.purgedOf(tx, [...new Set(contributions.map(({ namespace }) => namespace))]);
    return purged.length === 0 ? contributions : contributions.filter(({ namespace }) => !purged.includes(namespace));
  }

  private async replace(tx: SqlTx, hour: Date, last: { subject: string; contributions: readonly Contribution[] }, next: { sequence: number; contributions: readonly Contribution[] }): Promise<void> {
    const deltas = deltasBetween(last.contributions, next.contributions);
    for (const namespace of namespacesOf(deltas)) await this.measurements.lockNamespace(tx, namespace);
    await this.measurements.apply(tx, hour, deltas);
    await this.measurements.replace(tx, hour, { ...next, subject: last.subject });
  }
}

const namespacesOf = (deltas: readonly SeriesDelta[]) => [...new Set(deltas.map(({ namespace }) => namespace))].sort();

const HOUR_MS = 3_600_000;
/** Points stand on whole hours, UTC (contract 4). */
const startOfHour = (timestamp: string) => new Date(Math.floor(Date.parse(timestamp) / HOUR_MS) * HOUR_MS);
