import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists are filtered by type within what a grant reaches; all of a namespace was read for it. */
export class IndexUserTypes1700000000670 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX usergroup_parent_type ON usergroup (parent_namespace, user_type)');
    await runner.query('CREATE INDEX workspace_parent_type ON workspace (parent_namespace, user_type)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX workspace_parent_type');
    await runner.query('DROP INDEX usergroup_parent_type');
  }
}
