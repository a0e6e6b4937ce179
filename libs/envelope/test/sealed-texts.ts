import { createDataSource, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase } from '@twinyard/testing';
import { DataKeysTable1700000000640, DataKeyUsesTable1700000000650 } from '../src';

/** A database with data keys and a table of sealed texts, as a service has them. */
export async function openSealedTexts() {
  const database = await createTestDatabase();
  const dataSource = await createDataSource({ url: database.url, entities: [], migrations: [DataKeysTable1700000000640, DataKeyUsesTable1700000000650] }).initialize();
  await dataSource.runMigrations();
  await dataSource.query('CREATE TABLE sealed_text (id serial PRIMARY KEY, sealed text NOT NULL, data_key_id text NOT NULL REFERENCES data_key)');
  return {
    dataSource,
    unitOfWork: new TypeOrmUnitOfWork(dataSource),
    use: async (keyId: string) => void (await dataSource.query(`INSERT INTO sealed_text (sealed, data_key_id) VALUES ('x', $1)`, [keyId])),
    close: async () => {
      await dataSource.destroy();
      await database.drop();
    },
  };
}
