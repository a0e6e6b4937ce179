import type { TypeOrmUnitOfWork } from '../sql/type-orm-unit-of-work';
import { SqlTx, type Tx } from '../tx';
import { type AnswerClaim, AnswerStore, claimLost, type NewClaim } from './answer-store';

const CLAIM = `
  INSERT INTO kept_answers AS kept (id, owner, fingerprint, leased_until, claimed_at)
  VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond', clock_timestamp())
  ON CONFLICT (id) DO UPDATE
    SET owner = excluded.owner, fingerprint = excluded.fingerprint, leased_until = excluded.leased_until, claimed_at = excluded.claimed_at, sealed = NULL
    WHERE (kept.sealed IS NULL AND (kept.leased_until < clock_timestamp() OR kept.owner = excluded.owner)) OR kept.claimed_at < $5
  RETURNING id`;

/** Fails where it keeps nothing: the transaction must not be committed then, and nobody waits for its answer. */
const KEEP_OR_FAIL = `
  WITH kept AS (UPDATE kept_answers SET sealed = $3 WHERE id = $1 AND owner = $2 RETURNING id)
  SELECT 1 / count(*) FROM kept`;
const DIVISION_BY_ZERO = '22012';

interface Row {
  readonly fingerprint: string;
  readonly sealed: Buffer | null;
}

/** In the service's own database. Each statement may be done twice; a claim that finds itself there is its owner's. */
export class SqlAnswerStore extends AnswerStore {
  constructor(private readonly unitOfWork: TypeOrmUnitOfWork) {
    super();
  }

  override async claim({ id, owner, fingerprint, leaseMs, since }: NewClaim): Promise<AnswerClaim> {
    for (;;) {
      if ((await this.unitOfWork.askRepeatable(CLAIM, [id, owner, fingerprint, leaseMs, since])).length > 0) return { state: 'mine' };
      const [row] = await this.unitOfWork.askRepeatable<Row>('SELECT fingerprint, sealed FROM kept_answers WHERE id = $1', [id]);
      // Released between the two statements: whoever comes first has it.
      if (row === undefined) continue;
      return row.sealed === null ? { state: 'running', fingerprint: row.fingerprint } : { state: 'answered', fingerprint: row.fingerprint, sealed: row.sealed };
    }
  }

  override async renew(id: string, owner: string, leaseMs: number): Promise<void> {
    await this.unitOfWork.askRepeatable(`UPDATE kept_answers SET leased_until = clock_timestamp() + $3 * interval '1 millisecond' WHERE id = $1 AND owner = $2`, [id, owner, leaseMs]);
  }

  override async keep(id: string, owner: string, sealed: Buffer): Promise<void> {
    await this.unitOfWork.askRepeatable('UPDATE kept_answers SET sealed = $3 WHERE id = $1 AND owner = $2', [id, owner, sealed]);
  }

  override async keepIn(tx: Tx, id: string, owner: string, sealed: Buffer): Promise<void> {
    if (!(tx instanceof SqlTx)) throw new Error('Answers are kept in a transaction of PostgreSQL here');
    await tx.preparedLater(KEEP_OR_FAIL, [id, owner, sealed], (error) => ((error as { code?: unknown }).code === DIVISION_BY_ZERO ? claimLost() : error));
  }

  override async release(id: string, owner: string): Promise<void> {
    await this.unitOfWork.askRepeatable('DELETE FROM kept_answers WHERE id = $1 AND owner = $2 AND sealed IS NULL', [id, owner]);
  }

  override async prune(before: Date): Promise<void> {
    await this.unitOfWork.askRepeatable('DELETE FROM kept_answers WHERE claimed_at < $1', [before]);
  }
}
