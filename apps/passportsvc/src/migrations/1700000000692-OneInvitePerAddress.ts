import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contract 1.5: an address has one PENDING invite a group. Of those there were, the last one stays. */
export class OneInvitePerAddress1700000000692 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE invite SET status = 'CANCELLED', remind_at = NULL, updated_at = now() WHERE status = 'PENDING'
      AND EXISTS (SELECT FROM invite later WHERE later.group_id = invite.group_id AND later.email = invite.email AND later.status = 'PENDING' AND later.position > invite.position)`);
    await runner.query(`CREATE UNIQUE INDEX invite_pending ON invite (group_id, email) WHERE status = 'PENDING'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX invite_pending');
  }
}
