import type { Tx, UnitOfWork } from '@twinyard/service-kit';
import { BoundedCache } from './bounded-cache';
import { type DataKey, type DataKeyRecord, newDataKey, unwrapDataKey, wrappingContext } from './data-key';
import type { DataKeyStore } from './data-key-store';
import type { KeyCipher } from './key-cipher';

export interface DataKeyCaching {
  /** How long an unwrapped key is remembered, and so how long a replica may go on sealing under one that was replaced. */
  readonly lifeMs: number;
  readonly capacity: number;
}

const CACHING: DataKeyCaching = { lifeMs: 60_000, capacity: 1_000 };
const REWRAP_BATCH = 500;

/** The data keys of the namespaces: made when first needed, unwrapped in memory alone. */
export class DataKeys<T extends Tx = Tx> {
  private readonly newestOf: BoundedCache<DataKey>;
  private readonly byId: BoundedCache<DataKey | undefined>;

  constructor(
    private readonly unitOfWork: UnitOfWork<T>,
    readonly store: DataKeyStore<T>,
    private readonly cipher: KeyCipher,
    { lifeMs, capacity }: DataKeyCaching = CACHING,
  ) {
    this.newestOf = new BoundedCache(lifeMs, capacity);
    this.byId = new BoundedCache(lifeMs, capacity);
  }

  /** The one that seals. The first is made here; replicas that make it at once end with one. */
  newest(namespace: string): Promise<DataKey> {
    return this.newestOf.get(namespace, async () => {
      const [known] = await this.store.listOf(namespace);
      return known === undefined ? this.make(namespace, 1) : unwrapDataKey(this.cipher, known);
    });
  }

  find(id: string): Promise<DataKey | undefined> {
    return this.byId.get(id, async () => {
      const known = await this.store.find(id);
      return known && unwrapDataKey(this.cipher, known);
    });
  }

  /** Makes this version of a namespace's key, or answers the one that another made meanwhile. `told` is part of the same transaction. */
  async make(namespace: string, version: number, told: (tx: T, key: DataKey) => Promise<void> = async () => undefined): Promise<DataKey> {
    const made = newDataKey(this.cipher, namespace, version);
    const key = unwrapDataKey(this.cipher, made);
    const isMade = await this.unitOfWork.run(async (tx) => {
      const first = await this.store.insertIfAbsent(tx, made);
      if (first) await told(tx, key);
      return first;
    });
    if (isMade) return key;
    const [newest] = await this.store.listOf(namespace);
    if (newest === undefined) throw new Error(`The data keys of ${namespace} are being removed`);
    return unwrapDataKey(this.cipher, newest);
  }

  /** What is remembered of a namespace's newest key may be out of date. */
  forget(namespace: string): void {
    this.newestOf.forget(namespace);
  }

  /** Wraps anew what is wrapped under another key-encryption key than the current, batch by batch; how many. Stopped half way, it can be run again. */
  async rewrap(): Promise<number> {
    let [count, after]: [number, string | undefined] = [0, undefined];
    for (;;) {
      const batch = await this.store.list(after, REWRAP_BATCH);
      const stale = batch.flatMap((key) => {
        const wrapped = this.cipher.resealed(key.wrapped, wrappingContext(key));
        return wrapped === undefined ? [] : [{ key, wrapped }];
      });
      count += stale.length === 0 ? 0 : await this.unitOfWork.run((tx) => this.replaceAll(tx, stale));
      if (batch.length < REWRAP_BATCH) return count;
      after = batch.at(-1)?.id;
    }
  }

  private async replaceAll(tx: T, stale: readonly { readonly key: DataKeyRecord; readonly wrapped: string }[]): Promise<number> {
    let count = 0;
    for (const { key, wrapped } of stale) if (await this.store.replaceWrapped(tx, key, wrapped)) count += 1;
    return count;
  }
}
