import { Injectable, Optional } from '@nestjs/common';
import { type DataKeyStore, type DataKeyUses, MongoDataKeyStore, MongoDataKeyUses, PostgresDataKeyStore, PostgresDataKeyUses } from '@twinyard/envelope';
import { MongoConnection } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

export interface KeyStores {
  readonly keys: DataKeyStore;
  readonly uses: DataKeyUses;
}

export const postgresKeyStores = (dataSource: DataSource): KeyStores => ({ keys: new PostgresDataKeyStore(dataSource), uses: new PostgresDataKeyUses(dataSource) });
export const mongoKeyStores = (connection: MongoConnection): KeyStores => ({ keys: new MongoDataKeyStore(connection), uses: new MongoDataKeyUses(connection) });

/** Data keys lie in the database of the items that are sealed under them, whichever it is. */
@Injectable()
export class DataKeyStores implements KeyStores {
  readonly keys: DataKeyStore;
  readonly uses: DataKeyUses;

  constructor(@Optional() dataSource?: DataSource, @Optional() connection?: MongoConnection) {
    ({ keys: this.keys, uses: this.uses } = storesOf(dataSource, connection));
  }
}

function storesOf(dataSource: DataSource | undefined, connection: MongoConnection | undefined): KeyStores {
  if (dataSource !== undefined) return postgresKeyStores(dataSource);
  if (connection !== undefined) return mongoKeyStores(connection);
  throw new Error('There is no database for data keys');
}
