import type { Tx } from '@twinyard/service-kit';

/** Whoever was about to seal under it has to ask for the newest key again. */
export class DataKeyGone extends Error {
  constructor(id: string) {
    super(`Data key ${id} has been removed`);
    this.name = 'DataKeyGone';
  }
}

/** Something, named by its holder, that ciphertexts lie in under a data key. */
export interface DataKeyUse {
  readonly keyId: string;
  readonly holder: string;
}

/**
 * Which data keys are in use, and by what, where ciphertexts stand inside of documents and no reference of the database can hold their key.
 * Whoever seals says so in the same transaction, and whoever has sealed anew takes it back; a holder's writers take turns, which is the
 * caller's to see to. A key that is held is not removed (`DataKeyInUse`).
 */
export abstract class DataKeyUses<T extends Tx = Tx> {
  /** Once or again. @throws DataKeyGone */
  abstract hold(tx: T, use: DataKeyUse): Promise<void>;
  abstract release(tx: T, keyIds: readonly string[], holder: string): Promise<void>;
  /** Of these keys, in the order of their holders, those behind `after`. */
  abstract list(keyIds: readonly string[], after: string | undefined, limit: number): Promise<DataKeyUse[]>;
}
