import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeliverByJobs1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // When it is to be tried, and the lane of its receiver that is at it. Replicas of the release before know `due_at` and `running` instead: what waits for a job is never due to them.
    await runner.query('ALTER TABLE notification ADD COLUMN next_attempt_at timestamptz, ADD COLUMN lane smallint');
    await runner.query(`CREATE INDEX notification_of_receiver ON notification (namespace, transport, receiver, lane, next_attempt_at) WHERE status = 'SENDING'`);
    await runner.query(`CREATE INDEX notification_left_over ON notification (due_at) WHERE status = 'SENDING' AND next_attempt_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE notification SET due_at = next_attempt_at, running = false WHERE next_attempt_at IS NOT NULL`);
    await runner.query('DROP INDEX notification_left_over');
    await runner.query('DROP INDEX notification_of_receiver');
    await runner.query('ALTER TABLE notification DROP COLUMN next_attempt_at, DROP COLUMN lane');
  }
}
