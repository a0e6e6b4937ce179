import type { CollectionRef, StoredDocument } from '../document';
import { parseProjection, project } from '../projection';
import type { Reading } from '../reading-store';
import { Snapshot, type StreamQuery, type WholeStreamQuery } from '../snapshot';
import type { CursorConnection, CursorPlan, SnapshotTx } from './cursor-connection.adapter';

/** How the stores make a query of theirs into what a cursor runs over; `tx` is for what they need to know for it. */
export interface CursorPlans {
  documents?(target: CollectionRef, query: StreamQuery, tx: SnapshotTx): Promise<CursorPlan>;
  readings(target: CollectionRef, query: StreamQuery): Promise<CursorPlan>;
}

export class PostgresSnapshot extends Snapshot {
  constructor(
    private readonly cursors: CursorConnection,
    private readonly plans: CursorPlans,
  ) {
    super();
  }

  override async *documents(target: CollectionRef, query: StreamQuery): AsyncGenerator<readonly StoredDocument[], void> {
    yield* projected(this.cursors.rows<StoredDocument>(await this.planOf(target, query), query.deadline), query);
  }

  override async *documentTexts(target: CollectionRef, query: WholeStreamQuery): AsyncGenerator<readonly string[], void> {
    yield* this.cursors.texts(await this.planOf(target, query), query.deadline);
  }

  override async *readings(target: CollectionRef, query: StreamQuery): AsyncGenerator<readonly Reading[], void> {
    yield* projected(this.cursors.rows<Reading>(await this.plans.readings(target, query), query.deadline), query);
  }

  override async *readingTexts(target: CollectionRef, query: WholeStreamQuery): AsyncGenerator<readonly string[], void> {
    yield* this.cursors.texts(await this.plans.readings(target, query), query.deadline);
  }

  override close(): Promise<void> {
    return this.cursors.close();
  }

  private planOf(target: CollectionRef, query: StreamQuery): Promise<CursorPlan> {
    if (this.plans.documents === undefined) throw new Error('This is a snapshot of readings alone');
    return this.plans.documents(target, query, this.cursors.tx);
  }
}

async function* projected<D extends object>(rows: AsyncGenerator<readonly D[], void>, { projection }: StreamQuery): AsyncGenerator<readonly D[], void> {
  const parsed = projection && parseProjection(projection);
  for await (const some of rows) yield parsed ? some.map((row) => project(row, parsed)) : some;
}
