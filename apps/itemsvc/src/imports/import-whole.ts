import { Injectable } from '@nestjs/common';
import { type DocumentTx } from '@twinyard/documents';
import { CollectionWrites, type Effect } from '../relateditems/collection-writes';
import { NO_EFFECT, sumOf } from '../relateditems/sum-of-effects';
import { AT_BEGIN, type Checkpoint, toOutcome, withRefused } from './import';
import { ImportSpool } from './import-spool.repository';
import { type ImportWork, progressOf, rowsOf } from './import-work';
import { ImportsRepository } from './imports.repository';
import { ahead, batchesOf, countOf, type RowBatch } from './row-batches';
import { blamesRows, faultsIn } from './row-faults';

/** Versions that relations of the rows lead to, and that are not locked: it is begun again with their locks. */
class NeedsLocks extends Error {
  constructor(readonly versions: readonly string[]) {
    super('more versions must be locked');
  }
}

/** Rows that must not be written are why nothing is. */
class Refused extends Error {
  constructor(readonly at: Checkpoint) {
    super('rows are refused');
  }
}

/** All rows in one transaction, a batch at a time. When one is refused nothing more is written, and what is wrong with the others is looked for. */
@Injectable()
export class ImportWhole {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly spool: ImportSpool,
    private readonly writes: CollectionWrites,
  ) {}

  async run(work: ImportWork): Promise<void> {
    let alsoLock: readonly string[] = [];
    for (;;) {
      try {
        return await this.write(work, alsoLock);
      } catch (error) {
        if (error instanceof Refused) return this.refuse(work, error.at);
        if (!(error instanceof NeedsLocks)) throw error;
        alsoLock = [...alsoLock, ...error.versions];
      }
    }
  }

  private async write({ ctx, place, finish, ...work }: ImportWork, alsoLock: readonly string[]): Promise<void> {
    await this.writes.run(ctx.origin, place, (tx) => this.all(tx, { ctx, place, finish, ...work }, alsoLock), {
      alsoLock, finish: (tx, at) => finish(tx, { status: 200, body: toOutcome(at) }),
    });
  }

  private async all(tx: DocumentTx, work: ImportWork, locked: readonly string[]): Promise<Effect<Checkpoint>> {
    const { record, place, report } = work;
    let at = AT_BEGIN;
    let sum: Effect<unknown> = NO_EFFECT;
    for await (const batch of ahead(batchesOf(rowsOf(this.spool.read(record), record, place, 0)))) {
      const refused = [...batch.refused, ...(await this.take(work, batch, async (write, needed) => {
        if (at.refusedCount + batch.refused.length > 0) return;
        const missing = needed.filter((version) => !locked.includes(version));
        if (missing.length > 0) throw new NeedsLocks(missing);
        sum = sumOf(sum, await write(tx));
      }))];
      at = withRefused({ ...at, done: at.done + countOf(batch), created: at.created + batch.rows.length }, refused.sort((a, b) => a._line - b._line));
      report(progressOf(record, at.done));
    }
    report({ done: at.done, total: at.done });
    if (at.refusedCount > 0) throw new Refused(at);
    return { ...sum, answer: at };
  }

  /** Answers with the rows that are refused. */
  private async take({ ctx, place, kind, record }: ImportWork, { rows }: RowBatch, perform: (write: (tx: DocumentTx) => Promise<Effect<unknown>>, alsoLock: readonly string[]) => Promise<void>) {
    if (rows.length === 0) return [];
    try {
      const { alsoLock, write } = await kind.prepare(ctx, place, rows.map(({ value }) => value), record.onConflict);
      await perform(write, alsoLock);
      return [];
    } catch (error) {
      if (!blamesRows(error, place.only !== undefined)) throw error;
      return faultsIn(error, rows)?.refused ?? [{ _line: rows[0]?.line ?? 0, _reason: `in this row or the ${rows.length - 1} behind it: ${error.message}` }];
    }
  }

  private async refuse({ finish, report }: ImportWork, at: Checkpoint): Promise<void> {
    report({ done: at.done, total: at.done });
    const body = { message: `${at.refusedCount} of ${at.done} rows are refused; nothing is written`, code: 'invalid', ...toOutcome({ ...at, created: 0 }) };
    await this.imports.end((tx) => finish(tx, { status: 400, body }));
  }
}
