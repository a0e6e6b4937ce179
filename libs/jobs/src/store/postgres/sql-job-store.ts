import { type SqlStatement, type Tx, type TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { type Claimed, type ClaimedJob, type ClaimTerms, type DeadJob, type Hold, type JobFilter, JobStore, type KindStatistics, type ListedJob, type NewJob, type Requeue } from '../job-store';
import { sqlOf } from '../own-transaction';
import { AHEAD, CLAIM, CLAIM_TURN, LOOK, SETTLE } from './claim-statements';
import * as sql from './job-statements';
import { BY_INDEX } from './statement-parts';

interface ClaimedRow {
  readonly id: string;
  readonly token: string | number;
  readonly namespace: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly age_ms: number;
  readonly unread: number;
  readonly request_id: string | null;
}

interface AheadRow {
  readonly is_more: boolean;
  readonly next_ms: number | null;
}

/** In the service's PostgreSQL database. */
export class SqlJobStore extends JobStore {
  /** Where the next look through namespaces begins for what has fallen due in them, by kind. */
  private readonly reached = new Map<string, string>();

  constructor(private readonly unitOfWork: TypeOrmUnitOfWork) {
    super();
  }

  override async enqueue(tx: Tx, jobs: readonly NewJob[], { ifMissing } = { ifMissing: false }): Promise<void> {
    if (jobs.length === 0) return;
    await sqlOf(tx).preparedLater(sql.ENQUEUE, [
      jobs.map(({ id }) => id), jobs.map(({ kind }) => kind), jobs.map(({ namespace }) => namespace),
      jobs.map(({ payload }) => payload), jobs.map(({ dueAt }) => dueAt ?? null), ifMissing, jobs.map(({ requestId }) => requestId ?? null),
    ]);
  }

  /** Commits in the trip that it takes: while a claim holds the lock of its kind nobody waits for this process. */
  override async claim({ kind, slots, leaseMs, perNamespace, after }: ClaimTerms, ended: readonly Hold[]): Promise<Claimed> {
    const held = asArrays(ended);
    const ends: SqlStatement[] = ended.length === 0 ? [] : [sql.LOCK_FREE, sql.FINISH_FREE, sql.STILL_HELD].map((one) => ({ sql: one, parameters: held }));
    if (slots === 0) return this.together(ends).then((answers) => ({ jobs: [], isMore: false, notEnded: idsOf(answers[2]) }));
    const answers = await this.together([
      ...ends, { sql: CLAIM_TURN, parameters: [kind] }, { sql: SETTLE, parameters: [kind, this.reached.get(kind) ?? ''] },
      { sql: CLAIM, parameters: [kind, slots, leaseMs, perNamespace, after] }, { sql: AHEAD, parameters: [kind] },
    ]);
    const [[settled], rows, [ahead]] = answers.slice(-3) as [{ reached: string }[], ClaimedRow[], AheadRow[]];
    this.reached.set(kind, settled?.reached ?? '');
    return { jobs: rows.map(toJob), notEnded: ended.length === 0 ? [] : idsOf(answers[2]), ...lookAhead(ahead) };
  }

  override async renew(holds: readonly Hold[], leaseMs: number): Promise<ReadonlySet<string>> {
    const held = await this.unitOfWork.askRepeatable<{ id: string }>(sql.RENEW, [...asArrays(holds), leaseMs]);
    const lost = new Set(holds.map(({ id }) => id));
    for (const { id } of held) lost.delete(id);
    return lost;
  }

  override async hold(tx: Tx, hold: Hold, leaseMs: number): Promise<boolean> {
    return (await sqlOf(tx).prepared(sql.HOLD, [...asArrays([hold]), leaseMs])).length === 1;
  }

  override async finish(tx: Tx, hold: Hold): Promise<boolean> {
    return (await this.end(tx, hold)) !== undefined;
  }

  override async forget(tx: Tx, hold: Hold): Promise<boolean> {
    return (await this.end(tx, hold))?.again === false;
  }

  override async requeue(tx: Tx, hold: Hold, { delayMs, attempts, payload, cause, unread }: Requeue): Promise<boolean> {
    return (await sqlOf(tx).prepared(sql.REQUEUE, [...asArrays([hold]), delayMs, attempts, payload ?? null, cause ?? null, unread ?? 0])).length === 1;
  }

  override async bury(tx: Tx, hold: Hold, cause: string): Promise<boolean> {
    const [buried] = await sqlOf(tx).query<{ state: string }>(sql.BURY, [...asArrays([hold]), cause]);
    return buried?.state === 'DEAD';
  }

  override async look(kinds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.unitOfWork.peek((tx) => tx.query<{ kind: string; next_ms: number | null }>(LOOK, [kinds]));
    return new Map(rows.flatMap(({ kind, next_ms: nextMs }) => (nextMs === null ? [] : [[kind, Math.max(0, nextMs)]])));
  }

  override statistics(): Promise<KindStatistics[]> {
    return this.run<KindStatistics>(sql.STATISTICS, []);
  }

  override list(filter: JobFilter, limit: number): Promise<ListedJob[]> {
    return this.run<ListedJob>(sql.LIST, [...filterParameters(filter), limit]);
  }

  override dead(filter: JobFilter, limit: number): Promise<DeadJob[]> {
    return this.run<DeadJob>(sql.DEAD, [...filterParameters(filter), limit]);
  }

  override async replay(filter: JobFilter): Promise<number> {
    const [row] = await this.run<{ replayed: number }>(sql.REPLAY, filterParameters(filter));
    return row?.replayed ?? 0;
  }

  override async drop(filter: JobFilter): Promise<number> {
    return (await this.run(sql.DROP, filterParameters(filter))).length;
  }

  override async prune(before: Date, most: number): Promise<number> {
    return (await this.run(sql.PRUNE, [before, most])).length;
  }

  override async purge(namespace: string, limit: number): Promise<number> {
    return (await this.run(sql.PURGE, [namespace, limit])).length;
  }

  /** Undefined when it was lost. */
  private async end(tx: Tx, hold: Hold): Promise<{ readonly again: boolean } | undefined> {
    const held = asArrays([hold]);
    const [, [ended]] = await sqlOf(tx).together(() => sqlOf(tx).prepared(sql.LOCK_HELD, held), () => sqlOf(tx).prepared<{ again: boolean }>(sql.FINISH, held));
    return ended;
  }

  private async run<R>(statement: string, parameters: readonly unknown[]): Promise<R[]> {
    const [rows] = await this.together([{ sql: statement, parameters }]);
    return rows as R[];
  }

  private async together(statements: readonly SqlStatement[]): Promise<Record<string, unknown>[][]> {
    const [, ...rows] = await this.unitOfWork.runTogether([{ sql: BY_INDEX }, ...statements]);
    return rows;
  }
}

const idsOf = (rows: readonly Record<string, unknown>[] = []) => rows.map(({ id }) => String(id));

const asArrays = (holds: readonly Hold[]): [string[], number[]] => [holds.map(({ id }) => id), holds.map(({ token }) => token)];

const filterParameters = ({ kind, id, namespace }: JobFilter) => [kind ?? null, id ?? null, namespace ?? null];

const lookAhead = (ahead: AheadRow | undefined): Pick<Claimed, 'isMore' | 'nextMs'> => (
  { isMore: ahead?.is_more === true, ...(typeof ahead?.next_ms === 'number' && { nextMs: Math.max(0, ahead.next_ms) }) }
);

const toJob = ({ id, token, namespace, payload, attempts, age_ms: ageMs, unread, request_id: requestId }: ClaimedRow): ClaimedJob => (
  { id, token: Number(token), namespace, payload, attempt: attempts, ageMs, unread, ...(requestId !== null && { requestId }) }
);
