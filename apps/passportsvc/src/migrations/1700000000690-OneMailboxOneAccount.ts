import { hostNameOf, mailboxOf } from '@twinyard/conventions';
import { folded } from '@twinyard/service-kit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const BATCH = 1_000;

/** Where an address waits for somebody. */
const WAITING = [['invite', 'email'], ['organization', 'pending_owner_email'], ['app', 'pending_owner_email'], ['reset_request', 'email']] as const;

/**
 * Addresses in the form in which two that reach one mailbox are equal (`mailboxOf`). Of accounts that have come to share one, the first made gets it and
 * the others stay as they are: nobody's account is taken away. `npm run operate -- passportsvc mailboxes` lists them. What is no address any more stays too.
 */
export class OneMailboxOneAccount1700000000690 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What is folded need not be what the database calls lower case.
    await runner.query('ALTER TABLE app_user DROP CONSTRAINT app_user_email_check');
    await this.foldNames(runner);
    await this.renameAccounts(runner);
    for (const [table, column] of WAITING) await this.renameWaiting(runner, table, column);
    await this.renameDomains(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_user DROP COLUMN user_name_key, DROP COLUMN shares_name');
    await runner.query('ALTER TABLE app_user ADD user_name_key text NOT NULL GENERATED ALWAYS AS (lower(coalesce(user_name, email))) STORED');
    await runner.query('CREATE UNIQUE INDEX app_user_name ON app_user (user_name_key)');
    await runner.query('ALTER TABLE app_user ADD CONSTRAINT app_user_email_check CHECK (email = lower(email)) NOT VALID');
  }

  /** Two whose names differ by case alone, which the database took for two names until now, keep them; no third one gets it. */
  private async foldNames(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app_user DROP COLUMN user_name_key');
    await runner.query(`ALTER TABLE app_user ADD user_name_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (${folded('coalesce(user_name, email)')}) STORED, ADD shares_name boolean NOT NULL DEFAULT false`);
    await runner.query(`UPDATE app_user later SET shares_name = true WHERE EXISTS
      (SELECT FROM app_user first WHERE first.user_name_key = later.user_name_key AND (first.created_at, first.id) < (later.created_at, later.id))`);
    await runner.query('CREATE UNIQUE INDEX app_user_name ON app_user (user_name_key) WHERE NOT shares_name');
    // Whoever looks for a name wants the shared ones too.
    await runner.query('CREATE INDEX app_user_by_name ON app_user (user_name_key)');
  }

  private async renameAccounts(runner: QueryRunner): Promise<void> {
    let after: { created_at: Date; id: string } | undefined;
    for (;;) {
      const rows = (await runner.query(
        'SELECT id, email, created_at FROM app_user WHERE $1::timestamptz IS NULL OR (created_at, id) > ($1, $2::uuid) ORDER BY created_at, id LIMIT $3', [after?.created_at ?? null, after?.id ?? null, BATCH],
      )) as { id: string; email: string; created_at: Date }[];
      for (const { id, email } of rows) {
        const address = mailboxOf(email);
        if (address === undefined || address === email) continue;
        await runner.query(
          `UPDATE app_user SET email = $2 WHERE id = $1 AND NOT EXISTS (SELECT FROM app_user other WHERE other.id <> $1 AND (other.email = $2 OR other.user_name_key = ${folded('$2::text')}))`, [id, address],
        );
      }
      after = rows.at(-1);
      if (rows.length < BATCH) return;
    }
  }

  /** Of identity providers, so that they are compared with the hosts of addresses. */
  private async renameDomains(runner: QueryRunner): Promise<void> {
    const rows = (await runner.query(`SELECT DISTINCT unnest(domains) AS domain FROM identity_provider`)) as { domain: string }[];
    for (const { domain } of rows) {
      const host = hostNameOf(domain);
      if (host === undefined || host === domain) continue;
      await runner.query('UPDATE identity_provider SET domains = array_replace(domains, $1, $2)', [domain, host]);
      await runner.query('UPDATE identity_provider_domain SET domain = $2 WHERE domain = $1 AND NOT EXISTS (SELECT FROM identity_provider_domain WHERE domain = $2)', [domain, host]);
    }
  }

  private async renameWaiting(runner: QueryRunner, table: string, column: string): Promise<void> {
    const rows = (await runner.query(`SELECT DISTINCT ${column} AS email FROM ${table} WHERE ${column} IS NOT NULL`)) as { email: string }[];
    for (const { email } of rows) {
      const address = mailboxOf(email);
      if (address !== undefined && address !== email) await runner.query(`UPDATE ${table} SET ${column} = $2 WHERE ${column} = $1`, [email, address]);
    }
  }
}
