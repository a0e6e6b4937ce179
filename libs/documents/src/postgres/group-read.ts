import { isRetryable } from '@twinyard/service-kit';
import type { StoreGroup } from '../aggregation/group-tail';
import { type Deadline, READ_TIMEOUT_MS, REGEX_TIMEOUT_MS } from '../deadline';
import type { JsonObject } from '../document';
import { refuseHeavy } from '../heavy-answers';
import type { PgConnection } from './connection.adapter';
import { compileGroup, type GroupRow, type GroupSource, toGroups } from './group-compiler';
import { translateReadError, unlessTooLarge } from './read-errors';
import type { Statement } from './statement';

/** Groups that the server makes; `undefined`: these rows are for the pipeline in memory. Errors: `limit_exceeded` for more than `mostBytes` of them, `query_too_slow`. */
export async function readGroups(connection: PgConnection, statement: Statement, source: GroupSource, { plan, tail, deadline, mostBytes }: StoreGroup & { readonly mostBytes: number }): Promise<JsonObject[] | undefined> {
  const sql = compileGroup(statement, plan, source, { ...tail, mostBytes });
  const rows = await unlessTooLarge(readBefore<GroupRow>(connection, sql, statement, deadline));
  if (rows?.some(({ results }) => results === null)) throw refuseHeavy(mostBytes);
  return rows === undefined || rows.some(({ unfit }) => unfit) ? undefined : toGroups(plan, rows);
}

/** What is left is known when a connection is there: to wait for one takes its part of the time. */
function readBefore<R>(connection: PgConnection, sql: string, { usesRegex, parameters }: Statement, deadline: Deadline): Promise<R[]> {
  return connection.transaction(async (tx) => {
    const limit = Math.min(deadline.leftMs(), usesRegex ? REGEX_TIMEOUT_MS : READ_TIMEOUT_MS);
    try {
      const [, rows] = await tx.together(() => tx.query(`select set_config('statement_timeout', $1, true)`, [`${limit}`]), () => tx.query<R>(sql, parameters));
      return rows;
    } catch (error) {
      // What is worth another try is left as the transaction knows it.
      throw isRetryable(error) ? error : translateReadError(error, usesRegex);
    }
  });
}
