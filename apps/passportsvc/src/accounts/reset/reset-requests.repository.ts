import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { Language } from '../../pages/texts/language';

/** Whoever waits for a mail longer than this has asked again. */
const GIVEN_UP_AFTER = '15 minutes';

export interface ResetRequest {
  readonly email: string;
  readonly language: Language;
}

/** What was asked for at "Forgot your password?", before anybody has looked whether there is such an account. */
@Injectable()
export class ResetRequestsRepository {
  async insert(tx: TypeOrmTx, { email, language }: ResetRequest): Promise<void> {
    await tx.query('INSERT INTO reset_request (email, language) VALUES ($1, $2)', [email, language]);
  }

  /** The oldest; it is gone when the transaction is committed. */
  async take(tx: TypeOrmTx): Promise<ResetRequest | undefined> {
    await tx.query(`DELETE FROM reset_request WHERE requested_at < now() - interval '${GIVEN_UP_AFTER}'`);
    const [request] = await tx.query<ResetRequest>(
      'DELETE FROM reset_request WHERE id = (SELECT id FROM reset_request ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING email, language',
    );
    return request;
  }
}
