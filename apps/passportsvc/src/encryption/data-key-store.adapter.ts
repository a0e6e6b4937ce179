import { Injectable } from '@nestjs/common';
import { PostgresDataKeyStore } from '@twinyard/envelope';
import { DataSource } from 'typeorm';

/** The data keys of passportsvc, in its own database. */
@Injectable()
export class DataKeyStoreAdapter extends PostgresDataKeyStore {
  constructor(dataSource: DataSource) {
    super(dataSource);
  }
}
