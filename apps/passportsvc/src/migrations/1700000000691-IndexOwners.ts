import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a namespace keeps an owner is asked whenever one is taken away; it may hold a hundred thousand other permissions. */
export class IndexOwners1700000000691 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX permission_owner ON permission (namespace) WHERE irn = '*:*:*'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX permission_owner');
  }
}
