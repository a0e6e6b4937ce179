import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For services whose ciphertexts stand inside of documents, behind `DataKeysTable1700000000640`. */
export class DataKeyUsesTable1700000000650 implements MigrationInterface {
  name = 'DataKeyUsesTable1700000000650';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE data_key_use (
        key_id text COLLATE "C" NOT NULL REFERENCES data_key (id),
        holder text COLLATE "C" NOT NULL,
        PRIMARY KEY (key_id, holder)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE data_key_use');
  }
}
