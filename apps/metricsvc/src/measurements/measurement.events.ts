import { Injectable } from '@nestjs/common';
import { OnEventInBatches, PurgeStore } from '@twinyard/events';
import type { SqlTx } from '@twinyard/service-kit';
import { type KnownFacts, Ledger, ownersOf } from './ledger';
import { MeasurementsRepository } from './measurements.repository';
import { MEASURED_TYPES, type MeasuredEvent, type Statement, statementOf } from './subjects';

/** Keeps the series up to date with what happens in the other services; nothing else writes them. */
@Injectable()
export class MeasurementEvents {
  constructor(
    private readonly measurements: MeasurementsRepository,
    private readonly purges: PurgeStore,
  ) {}

  @OnEventInBatches(...MEASURED_TYPES)
  async measure(tx: SqlTx, events: readonly MeasuredEvent[]): Promise<void> {
    const dated = events.map((event) => ({ statement: statementOf(event), sequence: event.sequence, hour: startOfHour(event.timestamp) }));
    const ledger = new Ledger(await this.factsFor(tx, dated.map(({ statement }) => statement)));
    for (const one of dated) ledger.take(one);
    await this.measurements.apply(tx, ledger.changes.list());
    await this.measurements.keep(tx, ledger.replaced(), ledger.forgotten());
  }

  /**
   * First the things, locked: what is read after that no rebuild changes before the transaction ends. Then the namespaces: what is not known to
   * be purged by then is purged after the transaction, of which it finds everything.
   */
  private async factsFor(tx: SqlTx, statements: readonly Statement[]): Promise<KnownFacts> {
    const owners = [...new Set(statements.map(({ owner }) => owner))];
    const measurements = await this.measurements.lock(tx, {
      stated: statements.flatMap(({ subject, owner, endsParts = [] }) => [subject, ...endsParts].map((name) => ({ subject: name, owner }))),
      related: owners.flatMap(ownersOf),
      endedOwners: statements.filter(({ endsOwner }) => endsOwner).map(({ owner }) => owner),
    });
    const before = measurements.flatMap(({ contributions }) => contributions.map(({ namespace }) => namespace));
    const namespaces = [...new Set([...before, ...statements.flatMap((statement) => statement.namespaces)])];
    await this.measurements.lockNamespaces(tx, namespaces);
    return {
      measurements,
      restatements: await this.measurements.restatementsOf(tx, owners),
      // What is told late of a purged namespace counts for nothing.
      purged: new Set(namespaces.length === 0 ? [] : await this.purges.purgedOf(tx, namespaces)),
    };
  }
}

const HOUR_MS = 3_600_000;
/** Points stand on whole hours, UTC (contract 4). */
const startOfHour = (timestamp: string) => new Date(Math.floor(Date.parse(timestamp) / HOUR_MS) * HOUR_MS);
