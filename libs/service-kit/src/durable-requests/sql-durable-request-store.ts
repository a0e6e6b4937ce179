import { jsonBytesOf, jsonOf, JsonText } from '../http/json-text';
import { SqlTx, type Tx, type UnitOfWork } from '../tx';
import type { DurableProgress, DurableRequest, DurableState, DurableStatus, KeptResponse, NewDurableRequest } from './durable-request';
import { type DurableEnd, type DurableLease, DurableRequestStore } from './durable-request-store';
import { keptJson, unpackedJson } from './packed-json';

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly caller_type: string;
  readonly caller_id: string;
  readonly context: unknown;
  readonly payload: unknown;
  readonly packed_payload: Buffer | null;
  readonly status: DurableStatus;
  readonly progress: DurableProgress | null;
  readonly attempts: number;
  readonly response_status: number | null;
  /** JSON. */
  readonly response_body: string | null;
  readonly packed_response: Buffer | null;
}

/** Code that knows no packed payloads would take such a request for an empty one: under this name it leaves it alone (docs/operations/upgrade.md). */
const PACKED = ' (packed)';

const CLAIM = `
  UPDATE durable_requests SET status = 'RUNNING', leased_by = $1, leased_until = clock_timestamp() + $2 * interval '1 millisecond', attempts = attempts + 1
  WHERE id = (
    SELECT id FROM durable_requests
    WHERE kind = ANY($3) AND status IN ('QUEUED', 'RUNNING') AND (leased_until IS NULL OR leased_until < clock_timestamp())
    ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED
  ) RETURNING id, kind, caller_type, caller_id, context, attempts,
    CASE WHEN id = ANY($4) THEN NULL ELSE payload END AS payload, CASE WHEN id = ANY($4) THEN NULL ELSE packed_payload END AS packed_payload`;

const FINISH = `
  UPDATE durable_requests
  SET status = $3, response_status = $4, response_body = $5::json, packed_response = $6, progress = coalesce($7::json, progress),
    finished_at = clock_timestamp(), leased_by = NULL, leased_until = NULL, payload = NULL, packed_payload = NULL
  WHERE id = $1 AND leased_by = $2 AND status = 'RUNNING' RETURNING id`;

/** In the service's own database, so that a request ends in the transaction of its work. */
export class SqlDurableRequestStore extends DurableRequestStore {
  constructor(private readonly unitOfWork: UnitOfWork<SqlTx>) {
    super();
  }

  override async add(id: string, { kind, caller, context, payload, progress }: NewDurableRequest): Promise<void> {
    const { text, packed } = await keptJson(jsonOf(payload ?? null));
    await this.run(
      'INSERT INTO durable_requests (id, kind, caller_type, caller_id, context, payload, packed_payload, progress) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
      [id, packed === null ? kind : `${kind}${PACKED}`, caller.type, caller.id, JSON.stringify(context ?? null), text, packed, jsonOrNull(progress)],
    );
  }

  override async find(id: string): Promise<DurableState | undefined> {
    const [row] = await this.run('SELECT id, caller_type, caller_id, status, progress, response_status, response_body::text AS response_body, packed_response FROM durable_requests WHERE id = $1', [id]);
    return row && toState(row);
  }

  override async claim({ owner, leaseMs }: DurableLease, kinds: readonly string[], atHand: readonly string[] = []): Promise<DurableRequest | undefined> {
    const [row] = await this.run(CLAIM, [owner, leaseMs, kinds.flatMap((kind) => [kind, `${kind}${PACKED}`]), atHand]);
    return row && toRequest(row);
  }

  override async renew({ owner, leaseMs }: DurableLease, id: string): Promise<void> {
    await this.run(
      `UPDATE durable_requests SET leased_until = clock_timestamp() + $3 * interval '1 millisecond' WHERE id = $1 AND leased_by = $2`,
      [id, owner, leaseMs],
    );
  }

  override async report({ owner }: DurableLease, id: string, progress: DurableProgress): Promise<void> {
    await this.run(`UPDATE durable_requests SET progress = $3::json WHERE id = $1 AND leased_by = $2 AND status = 'RUNNING'`, [id, owner, jsonOrNull(progress)]);
  }

  override async finish(tx: Tx, owner: string, id: string, end: DurableEnd): Promise<boolean> {
    if (!(tx instanceof SqlTx)) throw new Error('A durable request of a PostgreSQL store ends in a transaction of the same database');
    return (await tx.query(FINISH, await finishParameters(owner, id, end))).length === 1;
  }

  override async fail(owner: string, id: string, end: DurableEnd): Promise<void> {
    await this.run(FINISH, await finishParameters(owner, id, end));
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

const jsonOrNull = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

async function finishParameters(owner: string, id: string, { status, body, progress }: DurableEnd): Promise<unknown[]> {
  const { text, packed } = await keptJson(body === undefined ? undefined : jsonBytesOf(body));
  return [id, owner, status < 400 ? 'COMPLETED' : 'FAILED', status, text, packed, jsonOrNull(progress)];
}

const toRequest = async (row: Row): Promise<DurableRequest> => ({
  id: row.id,
  kind: row.kind.endsWith(PACKED) ? row.kind.slice(0, -PACKED.length) : row.kind,
  caller: { type: row.caller_type, id: row.caller_id },
  context: row.context,
  payload: row.packed_payload === null ? row.payload : (JSON.parse((await unpackedJson(row.packed_payload)).toString()) as unknown),
  attempt: row.attempts,
});

const toState = async (row: Row): Promise<DurableState> => ({
  id: row.id,
  caller: { type: row.caller_type, id: row.caller_id },
  status: row.status,
  ...(row.progress !== null && { progress: row.progress }),
  ...(row.response_status !== null && { response: await toResponse(row.response_status, row) }),
});

async function toResponse(status: number, { response_body: text, packed_response: packed }: Row): Promise<KeptResponse> {
  const json = packed === null ? text : await unpackedJson(packed);
  return { status, ...(json !== null && { body: new JsonText(json) }) };
}
