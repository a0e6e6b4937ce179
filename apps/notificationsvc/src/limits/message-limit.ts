import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '@twinyard/service-kit';
import { SETTINGS } from '../config';
import { Skipped } from '../deliveries/delivery-parts';
import { derivedKeys, type TokenSettings } from '../resources/derived-keys';

export interface Message {
  /** What was counted for it stays counted, and is not counted again when it is tried again. */
  readonly id: string;
  /** What it counts for: stored as a keyed hash, since it outlives what it was made for. */
  readonly key: string;
  readonly limit: number;
  /** At most a day. */
  readonly withinMs: number;
}

const PRUNE = `
  DELETE FROM counted_message WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM counted_message WHERE counted_at < now() - interval '25 hours' LIMIT 20 FOR UPDATE SKIP LOCKED))`;

const COUNT = `
  INSERT INTO counted_message (key, message_id, counted_at)
  SELECT $1, $2, now() WHERE (SELECT count(*) FROM counted_message WHERE key = $1 AND counted_at > now() - $4 * interval '1 millisecond') < $3
  RETURNING 1`;

/** How many messages go to one address within a time, whoever sends them, from whatever replica: counted in the database, one at a time for each key. */
@Injectable()
export class MessageLimit {
  private readonly secret: Buffer;

  constructor(private readonly unitOfWork: UnitOfWork, @Inject(SETTINGS) settings: TokenSettings) {
    this.secret = derivedKeys(settings, 'message limit')[0];
  }

  /** @throws Skipped with `${limit} ${what}` when there were so many. */
  async take({ id, key, limit, withinMs }: Message, what: string): Promise<void> {
    const hash = createHmac('sha256', this.secret).update(key).digest('base64url');
    const isTaken = await this.unitOfWork.run(async (tx) => {
      await tx.query(PRUNE);
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [hash]);
      const known = await tx.query('SELECT 1 FROM counted_message WHERE key = $1 AND message_id = $2', [hash, id]);
      return known.length > 0 || (await tx.query(COUNT, [hash, id, limit, withinMs])).length > 0;
    });
    if (!isTaken) throw new Skipped(`${limit} ${what} within ${withinMs / 3_600_000} h`);
  }
}
