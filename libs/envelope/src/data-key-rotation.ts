import { setTimeout as delay } from 'node:timers/promises';
import type { Tx, UnitOfWork } from '@twinyard/service-kit';
import type { DataKey, DataKeyRecord } from './data-key';
import { DataKeyInUse } from './data-key-store';
import type { Envelope } from './envelope';

const BATCH = 200;
const RETRY_MS = 500;

export interface ResealedBatch {
  readonly resealed: number;
  /** IRNs of records that did not open: they stay as they are, and so does their key. */
  readonly unopenable: readonly string[];
  /** The last record that was looked at; none when there are no more behind it. */
  readonly last: string | undefined;
}

/** What a service keeps sealed, for the rotation. */
export abstract class SealedRecords {
  /**
   * Seals anew what lies under another key of the namespace than `newest`, up to `limit` records in one order, beginning behind
   * `after`. A record that is changed meanwhile is left alone: the next pass sees it.
   */
  abstract reseal(newest: DataKey, after: string | undefined, limit: number): Promise<ResealedBatch>;
}

/** Told in the transaction in which it happens. */
export type RotationStep = { readonly kind: 'made' | 'removed'; readonly key: Omit<DataKeyRecord, 'wrapped'> };

export interface RotationTerms<T extends Tx> {
  readonly records: SealedRecords;
  told(tx: T, step: RotationStep): Promise<void>;
  /** How long keys that replicas still remember are waited for. */
  readonly patienceMs?: number;
}

export interface Rotated {
  readonly namespace: string;
  /** Of the key that seals from now on. */
  readonly version: number;
  readonly resealed: number;
  readonly removed: number;
  /** Whether it took up what an earlier one had left half done, instead of making a new key. */
  readonly resumed: boolean;
}

/**
 * Gives a namespace a new data key, seals everything under it and removes the old keys, beside reads and writes. Every step is
 * whole in itself, so one that is killed is taken up by the next, and two at once do the same work. An old key goes when nothing lies
 * under it, which the store itself holds (`DataKeyInUse`): a replica that remembers it can seal with it for a while.
 */
export class DataKeyRotation<T extends Tx> {
  constructor(
    private readonly unitOfWork: UnitOfWork<T>,
    private readonly envelope: Envelope<T>,
    private readonly terms: RotationTerms<T>,
  ) {}

  /** `undefined`: the namespace has no key, since nothing was ever sealed there. */
  async rotate(namespace: string): Promise<Rotated | undefined> {
    const { keys } = this.envelope;
    const [newest, ...older] = await keys.store.listOf(namespace);
    if (newest === undefined) return undefined;
    // Under another key-encryption key this fails, and nothing was made.
    const current = await this.unwrapped(newest.id);
    const resumed = older.length > 0;
    const key = resumed ? current : await keys.make(namespace, current.version + 1, (tx, made) => this.terms.told(tx, { kind: 'made', key: made }));
    return { namespace, version: key.version, resumed, ...(await this.finish(key)) };
  }

  private async unwrapped(id: string): Promise<DataKey> {
    const key = await this.envelope.keys.find(id);
    if (key === undefined) throw new Error(`Data key ${id} was removed meanwhile: run the rotation again`);
    return key;
  }

  private async finish(newest: DataKey): Promise<{ readonly resealed: number; readonly removed: number }> {
    const giveUpAt = performance.now() + (this.terms.patienceMs ?? 180_000);
    for (let [resealed, removed] = [0, 0]; ; await delay(RETRY_MS)) {
      resealed += await this.resealAll(newest);
      const { gone, inUse } = await this.removeOlder(newest);
      removed += gone;
      if (inUse === undefined) return { resealed, removed };
      if (performance.now() > giveUpAt) throw inUse;
    }
  }

  private async resealAll(newest: DataKey): Promise<number> {
    const unopenable: string[] = [];
    let resealed = 0;
    for (let after: string | undefined; ; ) {
      const batch = await this.terms.records.reseal(newest, after, BATCH);
      resealed += batch.resealed;
      unopenable.push(...batch.unopenable);
      if (batch.last === undefined) break;
      after = batch.last;
    }
    if (unopenable.length > 0) throw new Error(`${newest.namespace}: cannot be opened, and keep their key: ${unopenable.join(', ')}`);
    return resealed;
  }

  private async removeOlder(newest: DataKey): Promise<{ readonly gone: number; readonly inUse: DataKeyInUse | undefined }> {
    const { store } = this.envelope.keys;
    let [gone, inUse]: [number, DataKeyInUse | undefined] = [0, undefined];
    for (const key of (await store.listOf(newest.namespace)).filter(({ version }) => version < newest.version)) {
      try {
        gone += (await this.unitOfWork.run((tx) => this.remove(tx, key))) ? 1 : 0;
      } catch (error) {
        if (!(error instanceof DataKeyInUse)) throw error;
        inUse = error;
      }
    }
    return { gone, inUse };
  }

  private async remove(tx: T, key: DataKeyRecord): Promise<boolean> {
    const { store } = this.envelope.keys;
    const isGone = await store.remove(tx, key.id);
    if (isGone) await this.terms.told(tx, { kind: 'removed', key });
    return isGone;
  }
}
