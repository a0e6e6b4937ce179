import { type ErrorCode, ServiceError } from '@twinyard/conventions';
import type { RefusedRow } from './import';
import type { GoodRow } from './row-batches';

/** What a row may be to blame for. */
const ROW_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['invalid', 'limit_exceeded', 'conflict']);
const AT = /^\[(\d+)\](?:\.(.*))?$/s;

export interface RowFaults {
  readonly refused: readonly RefusedRow[];
  readonly others: readonly GoodRow[];
}

/** Whether rows are what a write failed of; `ofPart`: the writer may write some items only, so what it may not is a fault of the row too. */
export const blamesRows = (error: unknown, ofPart: boolean): error is ServiceError =>
  error instanceof ServiceError && (ROW_CODES.has(error.code) || (ofPart && error.code === 'forbidden'));

/** The rows that an error names by their places in the batch; `undefined`: it names none. A single row needs no name. */
export function faultsIn(error: ServiceError, rows: readonly GoodRow[]): RowFaults | undefined {
  const reasons = new Map<number, string[]>();
  for (const { field, issue } of error.details ?? []) {
    const [, index, rest] = AT.exec(field) ?? [];
    if (index === undefined || Number(index) >= rows.length) continue;
    const reason = rest ? `${rest}: ${issue}` : issue;
    reasons.set(Number(index), [...(reasons.get(Number(index)) ?? []), reason]);
  }
  if (reasons.size === 0) return rows.length === 1 ? { refused: [{ _line: (rows[0] as GoodRow).line, _reason: error.message }], others: [] } : undefined;
  return {
    refused: rows.flatMap(({ line }, index) => (reasons.has(index) ? { _line: line, _reason: (reasons.get(index) as string[]).join('; ') } : [])),
    others: rows.filter((_, index) => !reasons.has(index)),
  };
}
