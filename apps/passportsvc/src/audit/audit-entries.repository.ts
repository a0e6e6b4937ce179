import { Injectable } from '@nestjs/common';
import type { Paging, Slice } from '@twinyard/conventions';
import { answerBytesOf, lightSlice } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import type { AuditEntry } from './audit-chain';
import type { AuditFilter } from './audit-filter';

export const ENTRY_COLUMNS = `id, namespace, at, by_id AS "byId", action, irn, address, request_id AS "requestId", details, sequence,
  encode(previous_hash, 'hex') AS "previousHash", encode(hash, 'hex') AS hash`;

export type EntryRow = Omit<AuditEntry, 'sequence'> & { readonly sequence: string };

export const toEntry = (row: EntryRow): AuditEntry => ({ ...row, sequence: Number(row.sequence) });

interface Condition {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** So many are sorted faster than found among a million by walking through time. */
const FEW = 500;

@Injectable()
export class AuditEntriesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Entries of these namespaces, newest first. */
  async list(namespaces: readonly string[], filter: AuditFilter, { offset, pageSize }: Paging): Promise<Slice<AuditEntry>> {
    const condition = conditionOf(filter);
    const total = await this.count(namespaces, condition);
    if (pageSize === 0 || offset >= total) return { rows: [], total };
    const source = total > FEW ? newestOf(condition) : allOf(condition);
    const rows = await this.dataSource.query<EntryRow[]>(
      `SELECT e.* FROM ${source} e ORDER BY e.at DESC, e.sequence DESC, e.namespace OFFSET $2 LIMIT $3`, [namespaces, offset, pageSize, ...condition.parameters],
    );
    return lightSlice({ rows: rows.map(toEntry), total }, answerBytesOf(this.dataSource));
  }

  /** Without a filter nothing is counted: a chain has no gaps, so its length is the number of its last entry. */
  private async count(namespaces: readonly string[], { sql, parameters }: Condition): Promise<number> {
    const counted = sql === ''
      ? this.dataSource.query<{ total: string }[]>('SELECT coalesce(sum(sequence), 0) AS total FROM audit_head WHERE namespace = ANY($1)', [namespaces])
      : this.dataSource.query<{ total: string }[]>(
        // $2 and $3 are those of the page, so that both statements number their parameters alike.
        `SELECT count(*) AS total FROM audit_entry WHERE namespace = ANY($1) AND $2::int + $3::int >= 0 ${sql}`, [namespaces, 0, 0, ...parameters],
      );
    return Number((await counted)[0]?.total);
  }
}

/** Each namespace is read backwards from its own index, no further than the page reaches; then they are merged. */
const newestOf = ({ sql }: Condition) => `unnest($1::text[]) AS n (name) CROSS JOIN LATERAL (
  SELECT ${ENTRY_COLUMNS} FROM audit_entry WHERE namespace = n.name ${sql} ORDER BY at DESC, sequence DESC LIMIT $2::bigint + $3::bigint)`;

/** What matches is found by the condition's own index, which sorting with a limit would keep the planner from. */
const allOf = ({ sql }: Condition) => `(SELECT ${ENTRY_COLUMNS} FROM audit_entry WHERE namespace = ANY($1) ${sql} OFFSET 0)`;

/** With parameters from $4 on. */
function conditionOf({ irn, byId, from, to }: AuditFilter): Condition {
  const terms: string[] = [];
  const parameters: unknown[] = [];
  const add = (value: unknown, term: (parameter: string) => string) => {
    parameters.push(value);
    terms.push(term(`$${parameters.length + 3}`));
  };
  if (irn !== undefined && irn.includes('*')) add(likePattern(irn), (parameter) => `irn COLLATE "C" LIKE ${parameter}`);
  else if (irn !== undefined) add(irn, (parameter) => `irn COLLATE "C" = ${parameter}`);
  if (byId !== undefined) add(byId, (parameter) => `by_id = ${parameter}`);
  if (from !== undefined) add(from, (parameter) => `at >= ${parameter}`);
  if (to !== undefined) add(to, (parameter) => `at <= ${parameter}`);
  return { sql: terms.map((term) => `AND ${term}`).join(' '), parameters };
}

/** `*` is any run of characters; what LIKE knows besides is meant as it stands. */
const likePattern = (pattern: string) => pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
