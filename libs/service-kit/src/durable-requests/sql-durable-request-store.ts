import { jsonBytesOf, JsonText } from '../http/json-text';
import { SqlTx, type Tx, type UnitOfWork } from '../tx';
import type { DurableProgress, DurableRequest, DurableState, DurableStatus, NewDurableRequest } from './durable-request';
import { type DurableEnd, type DurableLease, DurableRequestStore } from './durable-request-store';

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly caller_type: string;
  readonly caller_id: string;
  readonly context: unknown;
  readonly payload: unknown;
  readonly status: DurableStatus;
  readonly progress: DurableProgress | null;
  readonly attempts: number;
  readonly response_status: number | null;
  /** JSON. */
  readonly response_body: string | null;
}

const CLAIM = `
  UPDATE durable_requests SET status = 'RUNNING', leased_by = $1, leased_until = clock_timestamp() + $2 * interval '1 millisecond', attempts = attempts + 1
  WHERE id = (
    SELECT id FROM durable_requests
    WHERE kind = ANY($3) AND status IN ('QUEUED', 'RUNNING') AND (leased_until IS NULL OR leased_until < clock_timestamp())
    ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED
  ) RETURNING *`;

const FINISH = `
  UPDATE durable_requests
  SET status = $3, response_status = $4, response_body = $5::json, progress = coalesce($6::json, progress), finished_at = clock_timestamp(), leased_by = NULL, leased_until = NULL, payload = NULL
  WHERE id = $1 AND leased_by = $2 AND status = 'RUNNING' RETURNING id`;

/** In the service's own database, so that a request ends in the transaction of its work. */
export class SqlDurableRequestStore extends DurableRequestStore {
  constructor(private readonly unitOfWork: UnitOfWork<SqlTx>) {
    super();
  }

  override async add(id: string, { kind, caller, context, payload, progress }: NewDurableRequest): Promise<void> {
    await this.run(
      'INSERT INTO durable_requests (id, kind, caller_type, caller_id, context, payload, progress) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [id, kind, caller.type, caller.id, JSON.stringify(context ?? null), JSON.stringify(payload ?? null), toJson(progress)],
    );
  }

  override async find(id: string): Promise<DurableState | undefined> {
    const [row] = await this.run('SELECT id, caller_type, caller_id, status, progress, response_status, response_body::text AS response_body FROM durable_requests WHERE id = $1', [id]);
    return row && toState(row);
  }

  override async claim({ owner, leaseMs }: DurableLease, kinds: readonly string[]): Promise<DurableRequest | undefined> {
    const [row] = await this.run(CLAIM, [owner, leaseMs, kinds]);
    return row && toRequest(row);
  }

  override async renew({ owner, leaseMs }: DurableLease, id: string): Promise<void> {
    await this.run(
      `UPDATE durable_requests SET leased_until = clock_timestamp() + $3 * interval '1 millisecond' WHERE id = $1 AND leased_by = $2`,
      [id, owner, leaseMs],
    );
  }

  override async report({ owner }: DurableLease, id: string, progress: DurableProgress): Promise<void> {
    await this.run(`UPDATE durable_requests SET progress = $3::json WHERE id = $1 AND leased_by = $2 AND status = 'RUNNING'`, [id, owner, toJson(progress)]);
  }

  override async finish(tx: Tx, owner: string, id: string, end: DurableEnd): Promise<boolean> {
    if (!(tx instanceof SqlTx)) throw new Error('A durable request of a PostgreSQL store ends in a transaction of the same database');
    return (await tx.query(FINISH, finishParameters(owner, id, end))).length === 1;
  }

  override async fail(owner: string, id: string, end: DurableEnd): Promise<void> {
    await this.run(FINISH, finishParameters(owner, id, end));
  }

  override async release(owner: string, id: string, countsAsAttempt: boolean): Promise<void> {
    await this.run(
      `UPDATE durable_requests SET status = 'QUEUED', leased_by = NULL, leased_until = clock_timestamp() + interval '1 second', attempts = attempts - $3
       WHERE id = $1 AND leased_by = $2 AND status = 'RUNNING'`,
      [id, owner, countsAsAttempt ? 0 : 1],
    );
  }

  override async prune(before: Date): Promise<void> {
    await this.run('DELETE FROM durable_requests WHERE finished_at < $1', [before]);
  }

  private run(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return this.unitOfWork.run((tx) => tx.query<Row>(sql, parameters));
  }
}

const toJson = (value: unknown) => (value === undefined ? null : jsonBytesOf(value));

const finishParameters = (owner: string, id: string, { status, body, progress }: DurableEnd) => [
  id, owner, status < 400 ? 'COMPLETED' : 'FAILED', status, toJson(body), toJson(progress),
];

const toRequest = (row: Row): DurableRequest => ({
  id: row.id,
  kind: row.kind,
  caller: { type: row.caller_type, id: row.caller_id },
  context: row.context,
  payload: row.payload,
  attempt: row.attempts,
});

const toState = (row: Row): DurableState => ({
  id: row.id,
  caller: { type: row.caller_type, id: row.caller_id },
  status: row.status,
  ...(row.progress !== null && { progress: row.progress }),
  ...(row.response_status !== null && {
    response: { status: row.response_status, ...(row.response_body !== null && { body: new JsonText(row.response_body) }) },
  }),
});
