import type { Tx } from '@twinyard/service-kit';
import type { DataKeyRecord } from './data-key';

/** A key that ciphertexts lie under cannot be removed. Thrown by stores that can tell. */
export class DataKeyInUse extends Error {
  constructor(id: string, options?: ErrorOptions) {
    super(`Ciphertexts lie under data key ${id}`, options);
    this.name = 'DataKeyInUse';
  }
}

/** Where the wrapped data keys of a service are kept: in its own database, beside what they seal. */
export abstract class DataKeyStore<T extends Tx = Tx> {
  abstract find(id: string): Promise<DataKeyRecord | undefined>;

  /** All of a namespace, the newest first. */
  abstract listOf(namespace: string): Promise<DataKeyRecord[]>;

  /** Up to `limit` in the order of their ids, beginning behind `after`. */
  abstract list(after: string | undefined, limit: number): Promise<DataKeyRecord[]>;

  /** False when the namespace has a key of this version: another replica came first. */
  abstract insertIfAbsent(tx: T, key: DataKeyRecord): Promise<boolean>;

  /** False when it is not wrapped as `key` says any more. */
  abstract replaceWrapped(tx: T, key: DataKeyRecord, wrapped: string): Promise<boolean>;

  /** What still lies under it can never be opened again. False when there is none. @throws DataKeyInUse */
  abstract remove(tx: T, id: string): Promise<boolean>;
}
