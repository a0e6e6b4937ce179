import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IndexSharedEvents1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // For purges: a notification of one namespace may tell of something that lies in others too. Few do, and the index holds no others.
    await runner.query(`CREATE INDEX notification_shared_event ON notification USING gin ((event #> '{resource,_namespaces}'))
                        WHERE jsonb_array_length(event #> '{resource,_namespaces}') > 1`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX notification_shared_event');
  }
}
