import type { MongoCollections } from '@twinyard/service-kit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export const NAMESPACE_PURGES = 'namespace_purges';

/** For `MongoModule.forRoot({ collections })`, of each service on MongoDB that keeps something in namespaces. */
export const PURGE_COLLECTIONS: MongoCollections = {
  [NAMESPACE_PURGES]: [{ key: { dueAt: 1 }, name: 'dueAt', sparse: true }],
};

/** The table of `SqlPurgeStore`, in the database of each service that keeps something in namespaces. */
export class NamespacePurges1700000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE namespace_purge (
        namespace text PRIMARY KEY,
        asked_by_id text NOT NULL,
        request_id text NOT NULL,
        asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        pass text NOT NULL DEFAULT 'FIRST' CHECK (pass IN ('FIRST', 'LAST')),
        removed bigint NOT NULL DEFAULT 0,
        due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        leased_by uuid,
        leased_until timestamptz,
        finished_at timestamptz
      )`);
    await runner.query('CREATE INDEX namespace_purge_due ON namespace_purge (due_at) WHERE finished_at IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE namespace_purge');
  }
}
