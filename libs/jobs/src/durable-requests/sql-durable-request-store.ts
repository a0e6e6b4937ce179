import { jsonBytesOf, jsonOf, JsonText, type SqlTx, type Tx, type UnitOfWork } from '@twinyard/service-kit';
import { sqlOf } from '../store/own-transaction';
import type { DurableProgress, DurableState, DurableStatus, KeptRequest, KeptResponse, NewDurableRequest } from './durable-request';
import { type DurableEnd, DurableRequestStore, WITH_JOB } from './durable-request-store';
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
  readonly response_status: number | null;
  /** JSON. */
  readonly response_body: string | null;
  readonly packed_response: Buffer | null;
}

/** Code that knew no packed payloads would have taken such a request for an empty one: under this name it left it alone. */
const PACKED = ' (packed)';

const IS_OPEN = `status IN ('QUEUED', 'RUNNING')`;

const BEGIN = `
  UPDATE durable_requests SET status = 'RUNNING' WHERE id = $1 AND ${IS_OPEN} RETURNING id, kind, caller_type, caller_id, context,
    CASE WHEN $2 THEN NULL ELSE payload END AS payload, CASE WHEN $2 THEN NULL ELSE packed_payload END AS packed_payload`;

const FINISH = `
  UPDATE durable_requests
  SET status = $2, response_status = $3, response_body = $4::json, packed_response = $5, progress = coalesce($6::json, progress),
    finished_at = clock_timestamp(), payload = NULL, packed_payload = NULL
  WHERE id = $1 AND ${IS_OPEN} RETURNING id`;

const ADOPT = `
  UPDATE durable_requests SET kind = kind || '${WITH_JOB}', status = 'QUEUED', leased_by = NULL, leased_until = NULL
  WHERE id IN (
    SELECT id FROM durable_requests WHERE ${IS_OPEN} AND kind NOT LIKE '%${WITH_JOB}' AND (leased_until IS NULL OR leased_until < clock_timestamp())
    ORDER BY position LIMIT $1 FOR UPDATE SKIP LOCKED
  ) RETURNING id`;

/** In the service's own database, so that a request ends in the transaction of its work. */
export class SqlDurableRequestStore extends DurableRequestStore {
  constructor(private readonly unitOfWork: UnitOfWork<SqlTx>) {
    super();
  }

  override async add(id: string, { kind, caller, context, payload, progress }: NewDurableRequest, beside: (tx: Tx) => Promise<unknown>): Promise<void> {
    const { text, packed } = await keptJson(jsonOf(payload ?? null));
    await this.unitOfWork.run(async (tx) => {
      await tx.query(
        'INSERT INTO durable_requests (id, kind, caller_type, caller_id, context, payload, packed_payload, progress) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
        [id, `${kind}${packed === null ? '' : PACKED}${WITH_JOB}`, caller.type, caller.id, JSON.stringify(context ?? null), text, packed, jsonOrNull(progress)],
      );
      await beside(tx);
    });
  }

  override async find(id: string): Promise<DurableState | undefined> {
    const [row] = await this.run('SELECT id, caller_type, caller_id, status, progress, response_status, response_body::text AS response_body, packed_response FROM durable_requests WHERE id = $1', [id]);
    return row && toState(row);
  }

  override async begin(id: string, isAtHand: boolean): Promise<KeptRequest | undefined> {
    const [row] = await this.run(BEGIN, [id, isAtHand]);
    return row && toRequest(row);
  }

  override async report(id: string, progress: DurableProgress): Promise<void> {
    await this.run(`UPDATE durable_requests SET progress = $2::json WHERE id = $1 AND status = 'RUNNING'`, [id, jsonOrNull(progress)]);
  }

  override async finish(tx: Tx, id: string, end: DurableEnd): Promise<boolean> {
    return (await sqlOf(tx).query(FINISH, await finishParameters(id, end))).length === 1;
  }

  override async putBack(tx: Tx, id: string): Promise<void> {
    await sqlOf(tx).query(`UPDATE durable_requests SET status = 'QUEUED' WHERE id = $1 AND ${IS_OPEN}`, [id]);
  }

  override async adopt(tx: Tx, limit: number): Promise<string[]> {
    return (await sqlOf(tx).query<{ id: string }>(ADOPT, [limit])).map(({ id }) => id);
  }

  override async prune(before: Date): Promise<void> {
    await this.run('DELETE FROM durable_requests WHERE finished_at < $1', [before]);
  }

  private run(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    return this.unitOfWork.run((tx) => tx.query<Row>(sql, parameters));
  }
}

const jsonOrNull = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

async function finishParameters(id: string, { status, body, progress }: DurableEnd): Promise<unknown[]> {
  const { text, packed } = await keptJson(body === undefined ? undefined : jsonBytesOf(body));
  return [id, status < 400 ? 'COMPLETED' : 'FAILED', status, text, packed, jsonOrNull(progress)];
}

const toRequest = async (row: Row): Promise<KeptRequest> => ({
  id: row.id,
  kind: row.kind.replace(WITH_JOB, '').replace(PACKED, ''),
  caller: { type: row.caller_type, id: row.caller_id },
  context: row.context,
  payload: row.packed_payload === null ? row.payload : (JSON.parse((await unpackedJson(row.packed_payload)).toString()) as unknown),
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
