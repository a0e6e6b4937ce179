import { invalid } from '@twinyard/conventions';
import type { SourceFile } from '../source-file';
import type { StepContext } from '../step-context';
import type { StepProgress } from '../step-progress';
import { BatchWriter, NONE_WRITTEN, sumOf, type WrittenRows } from './batch-writer';
import { type CheckedFile, FileCheck } from './file-check';
import type { ColumnChoice } from './item-columns';
import { batchesOf, type ItemBatch } from './rows/item-batches';
import { ItemRows } from './rows/item-rows';
import { type Refused, RefusedRows } from './rows/refused-rows';
import type { Table } from '../tables/table';

/** What a component was told, and the file that it was told of. */
export interface ImportOrder<C> {
  readonly userItemId: string;
  readonly onConflict: string;
  readonly choice: ColumnChoice;
  readonly source: SourceFile;
  readonly table: Table<C>;
}

interface Target {
  readonly itemId: string;
  readonly versionId: string;
}

/** How far the rows of a file are: what a run goes on from after its worker died. */
interface Checkpoint {
  readonly line: number;
  readonly written: WrittenRows;
  readonly refused: readonly Refused[];
}

/**
 * Writes the rows of a file as items of a collection, known by their keys. The file is read twice: first as a whole, so that nothing is written of one that is
 * wrong in its columns; then batch by batch, each of which may be written again without being there twice.
 */
export class ItemsImport<C> {
  constructor(private readonly step: StepContext, private readonly progress: StepProgress, private readonly order: ImportOrder<C>) {}

  async run(): Promise<unknown> {
    const { log } = this.step;
    const { source, table, userItemId } = this.order;
    const target = await this.progress.once('target', () => this.findTarget());
    const checked = await this.check();
    await log('info', `${source.name} has ${checked.rows} rows`);
    for (const remark of [...checked.remarks, ...table.remarks()]) await log('warn', remark);
    const { written, refused } = await this.write(target, checked);
    const rejected = [...checked.refused.list, ...refused.list];
    for (const remark of [checked.refused, refused].flatMap((rows) => rows.remarks(table.form.place))) await log('warn', remark);
    const count = checked.refused.count + refused.count;
    if (count > 0 && count === checked.rows) throw invalid(`All ${count} rows of ${source.name} are refused; the log says why`);
    await log('info', `Wrote ${checked.rows - count} rows: ${Object.entries(written).map(([name, figure]) => `${figure} ${name}`).join(', ')}`);
    return {
      _fileId: source.fileId, _fileVersionId: source.fileVersionId, _userItemId: userItemId, _userItemVersionId: target.versionId,
      counts: { rows: checked.rows, ...written, refused: count, repeated: checked.repeated }, refused: rejected,
    };
  }

  /** The version that is the tip now: all batches go there, whatever is made meanwhile. */
  private async findTarget(): Promise<Target> {
    const item = await this.step.platform.items.findItem({ _userItemId: this.order.userItemId });
    if (item === undefined) throw invalid(`There is no collection ${this.order.userItemId} that the run may read`);
    return { itemId: item._id, versionId: item._tipId };
  }

  private check(): Promise<CheckedFile> {
    const { table, choice } = this.order;
    return table.through(async (parts) => {
      const check = new FileCheck(table.form, choice);
      for await (const part of parts) {
        this.step.signal.throwIfAborted();
        check.take(part);
      }
      return check.end();
    });
  }

  private async write({ itemId, versionId }: Target, { rows, refused: before }: CheckedFile): Promise<{ readonly written: WrittenRows; readonly refused: RefusedRows }> {
    const { table, choice, onConflict } = this.order;
    const writer = new BatchWriter(this.step.platform.items, { itemId, versionId, onConflict, stepId: this.step.stepId });
    let at: Checkpoint = this.progress.get('written') ?? { line: 0, written: NONE_WRITTEN, refused: [] };
    await table.through(async (parts) => {
      const reader = new ItemRows(table.form, choice);
      for await (const batch of batchesOf(itemsOf(reader, parts, this.step.signal), at.line)) {
        at = await this.take(writer, at, batch);
        const skipped = before.count + new RefusedRows(at.refused).count;
        await this.step.report({ _done: totalOf(at.written), _total: rows - before.count, skipped });
      }
    });
    return { written: at.written, refused: new RefusedRows(at.refused) };
  }

  private async take(writer: BatchWriter, at: Checkpoint, batch: ItemBatch): Promise<Checkpoint> {
    const outcome = await writer.write(batch.rows);
    const refused = new RefusedRows(at.refused);
    for (const row of outcome.refused) refused.add('service', row);
    const next: Checkpoint = { line: batch.lastLine, written: sumOf(at.written, outcome.written), refused: refused.list };
    await this.progress.set('written', next);
    return next;
  }
}

const totalOf = (written: WrittenRows) => Object.values(written).reduce((sum: number, figure: number) => sum + figure, 0);

async function* itemsOf<C>(reader: ItemRows<C>, parts: AsyncIterable<Parameters<ItemRows<C>['take']>[0]>, signal: AbortSignal): AsyncGenerator<ReturnType<ItemRows<C>['take']>> {
  for await (const part of parts) {
    signal.throwIfAborted();
    yield reader.take(part);
  }
}
