import { Injectable } from '@nestjs/common';
import type { DocumentTx } from '@twinyard/documents';
import { CollectionWrites, type Effect, type PreparedWrite } from '../relateditems/collection-writes';
import { type Checkpoint, toOutcome, withRefused } from './import';
import { ImportSpool } from './import-spool.repository';
import { type ImportWork, progressOf, rowsOf } from './import-work';
import { ImportsRepository } from './imports.repository';
import { ahead, batchesOf, countOf, type RowBatch } from './row-batches';
import { blamesRows, faultsIn } from './row-faults';

const NO_ROWS: PreparedWrite<unknown> = { alsoLock: [], write: async () => ({ answer: undefined }) };

/**
 * Row by row, many at a time: a batch, what it says of the version and how far the file is are one transaction, so a worker that
 * dies loses no row and does none twice; one that was taken over writes no batch. Rows that a batch fails of are left out of it.
 */
@Injectable()
export class ImportRows {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly spool: ImportSpool,
    private readonly writes: CollectionWrites,
  ) {}

  async run(work: ImportWork): Promise<void> {
    const { record, report, finish } = work;
    let at = record.checkpoint;
    for await (const batch of ahead(batchesOf(rowsOf(this.spool.read(record), record, work.place, at.line)))) {
      at = await this.take(work, at, batch);
      report(progressOf(record, at.done));
    }
    report({ done: at.done, total: at.done });
    await this.imports.end((tx) => finish(tx, { status: 200, body: toOutcome(at) }));
  }

  /** Answers with where the file is then. */
  private async take(work: ImportWork, from: Checkpoint, batch: RowBatch): Promise<Checkpoint> {
    try {
      return await this.write(work, from, batch);
    } catch (error) {
      if (batch.rows.length === 0 || !blamesRows(error, work.place.only !== undefined)) throw error;
      const faults = faultsIn(error, batch.rows);
      if (faults === undefined) return this.takeHalves(work, from, batch);
      const refused = [...batch.refused, ...faults.refused].sort((a, b) => a._line - b._line);
      return this.take(work, from, { ...batch, rows: faults.others, refused });
    }
  }

  /** Nobody says which row it is. */
  private async takeHalves(work: ImportWork, from: Checkpoint, { rows, refused, lastLine }: RowBatch): Promise<Checkpoint> {
    const half = Math.ceil(rows.length / 2);
    const [first, second] = [rows.slice(0, half), rows.slice(half)];
    const border = first.at(-1)?.line ?? 0;
    const between = await this.take(work, from, { rows: first, refused: refused.filter(({ _line }) => _line <= border), lastLine: border });
    return this.take(work, between, { rows: second, refused: refused.filter(({ _line }) => _line > border), lastLine });
  }

  private async write({ ctx, record, place, kind, hold }: ImportWork, from: Checkpoint, batch: RowBatch): Promise<Checkpoint> {
    const { alsoLock, write } = batch.rows.length === 0 ? NO_ROWS : await kind.prepare(ctx, place, batch.rows.map(({ value }) => value), record.onConflict);
    const made = { ...from, line: batch.lastLine, done: from.done + countOf(batch), created: from.created + batch.rows.length };
    const to = withRefused(made, batch.refused);
    const work = async (tx: DocumentTx): Promise<Effect<unknown>> => {
      await this.imports.advance(tx, record._id, from, to);
      return write(tx);
    };
    await this.writes.run(ctx.origin, place, work, { alsoLock, finish: (tx) => hold(tx) });
    return to;
  }
}
