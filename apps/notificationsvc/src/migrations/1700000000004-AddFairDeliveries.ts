import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddFairDeliveries1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Where a delivery goes, and whether a worker is at it: until `due_at`, which it moves on while it works.
    await runner.query(`ALTER TABLE notification ADD COLUMN receiver text NOT NULL DEFAULT '', ADD COLUMN running boolean NOT NULL DEFAULT false`);
    await runner.query('DROP INDEX notification_due');
    // The namespaces that have something due, one after the other, and the oldest of each.
    await runner.query(`CREATE INDEX notification_due ON notification (namespace, due_at) WHERE status = 'SENDING'`);
    await runner.query('CREATE INDEX notification_running ON notification (namespace) WHERE running');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX notification_running');
    await runner.query('DROP INDEX notification_due');
    await runner.query(`CREATE INDEX notification_due ON notification (due_at) WHERE status = 'SENDING'`);
    await runner.query('ALTER TABLE notification DROP COLUMN receiver, DROP COLUMN running');
  }
}
