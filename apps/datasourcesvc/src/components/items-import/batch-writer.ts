import { createHash } from 'node:crypto';
import type { ItemsClient } from '../../platform-client/items-client';
import { PlatformError } from '../../platform-client/platform-error';
import type { BatchRow } from './rows/item-batches';
import type { RefusedRow } from './rows/refused-rows';

/** What became of rows that were written. */
export interface WrittenRows {
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly kept: number;
}

export const NONE_WRITTEN: WrittenRows = { new: 0, changed: 0, unchanged: 0, kept: 0 };

export const sumOf = (one: WrittenRows, other: WrittenRows): WrittenRows => ({
  new: one.new + other.new, changed: one.changed + other.changed, unchanged: one.unchanged + other.unchanged, kept: one.kept + other.kept,
});

export interface BatchOutcome {
  readonly written: WrittenRows;
  readonly refused: readonly RefusedRow[];
}

export interface WriteTarget {
  readonly itemId: string;
  readonly versionId: string;
  readonly onConflict: string;
  /** Of the step: the same batch again gets the first answer, so that its figures are right. */
  readonly stepId: string;
}

/** What rows may be to blame for. */
const OF_ROWS = new Set([400, 409, 413]);
const AT = /^\[(\d+)\](?:\.(.*))?$/s;
/** So many rows that are refused one behind the other, and none of them by its place: then it is not the rows. */
const MOST_UNNAMED = 20;

/** Writes batches, and leaves out of them what is refused: a batch is written whole or not at all, so the others are sent again without it. */
export class BatchWriter {
  private unnamed = 0;

  constructor(private readonly items: Pick<ItemsClient, 'upsertItems'>, private readonly target: WriteTarget) {}

  async write(rows: readonly BatchRow[]): Promise<BatchOutcome> {
    if (rows.length === 0) return { written: NONE_WRITTEN, refused: [] };
    try {
      const written = await this.send(rows);
      this.unnamed = 0;
      return { written, refused: [] };
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status === undefined || !OF_ROWS.has(error.status)) throw error;
      return this.writeOthers(rows, error);
    }
  }

  private async writeOthers(rows: readonly BatchRow[], error: PlatformError): Promise<BatchOutcome> {
    const reasons = reasonsIn(error, rows);
    if (reasons.size === 0 && rows.length > 1) return this.writeHalves(rows);
    if (reasons.size === 0) {
      this.unnamed += 1;
      if (this.unnamed > MOST_UNNAMED) throw error;
      return { written: NONE_WRITTEN, refused: [{ row: (rows[0] as BatchRow).line, reason: error.message }] };
    }
    const refused = rows.flatMap(({ line: row }, index) => (reasons.has(index) ? { row, reason: (reasons.get(index) as string[]).join('; ') } : []));
    return joined({ written: NONE_WRITTEN, refused }, await this.write(rows.filter((_, index) => !reasons.has(index))));
  }

  /** Nobody says which row it is. */
  private async writeHalves(rows: readonly BatchRow[]): Promise<BatchOutcome> {
    const half = Math.ceil(rows.length / 2);
    return joined(await this.write(rows.slice(0, half)), await this.write(rows.slice(half)));
  }

  private async send(rows: readonly BatchRow[]): Promise<WrittenRows> {
    const { itemId, versionId, onConflict, stepId } = this.target;
    const json = `[${rows.map((row) => row.json).join(',')}]`;
    // The line too: the same rows may come twice in a file.
    const idempotencyKey = `${stepId} ${rows[0]?.line} ${createHash('sha256').update(json).digest('hex').slice(0, 32)}`;
    const { _new, _changed, _unchanged, _kept } = await this.items.upsertItems(itemId, versionId, json, { onConflict, idempotencyKey });
    return { new: _new, changed: _changed, unchanged: _unchanged, kept: _kept };
  }
}

const joined = (one: BatchOutcome, other: BatchOutcome): BatchOutcome => ({ written: sumOf(one.written, other.written), refused: [...one.refused, ...other.refused] });

/** By the places that the service names. */
function reasonsIn({ details }: PlatformError, rows: readonly BatchRow[]): ReadonlyMap<number, string[]> {
  const reasons = new Map<number, string[]>();
  for (const { field, issue } of details) {
    const [, index, rest] = AT.exec(field) ?? [];
    if (index === undefined || Number(index) >= rows.length) continue;
    reasons.set(Number(index), [...(reasons.get(Number(index)) ?? []), rest ? `${rest}: ${issue}` : issue]);
  }
  return reasons;
}
