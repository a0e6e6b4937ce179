import type { Readable } from 'node:stream';
import { ObjectNotFound } from '../port/object-errors';
import { type ByteRange, type ObjectDigest, type ObjectStat, ObjectStore, type PresignedAnswer, type PutExpectations } from '../port/object-store';
import type { PartialObject, PartialTarget } from '../port/partial-object';

/** A store under a name that stays the same as long as the store does: states of objects that come in pieces say by it where they are. */
export interface NamedStore {
  readonly name: string;
  readonly store: ObjectStore;
}

/**
 * Several stores as one, while objects move from one to another: new objects go to the first, all are read from, and what is deleted
 * is deleted in all. What comes in pieces goes on where it began. Processes that name the same stores in another order agree on
 * everything but where new objects go.
 */
export class CombinedObjectStore extends ObjectStore {
  private readonly first: NamedStore;

  constructor(private readonly stores: readonly [NamedStore, ...NamedStore[]]) {
    super();
    this.first = stores[0];
  }

  override put(key: string, body: Readable, expected?: PutExpectations): Promise<ObjectDigest> {
    return this.first.store.put(key, body, expected);
  }

  override putBytes(key: string, bytes: Buffer, expected?: PutExpectations): Promise<ObjectDigest> {
    return this.first.store.putBytes(key, bytes, expected);
  }

  override async *append(target: PartialTarget, from: PartialObject, body: AsyncIterable<Buffer>): AsyncGenerator<PartialObject> {
    const { name, store } = this.storeOf(from);
    for await (const state of store.append(target, from, body)) yield { ...state, store: name };
  }

  override async complete(target: PartialTarget, received: PartialObject): Promise<void> {
    await this.storeOf(received).store.complete(target, received);
  }

  override async abandon(target: PartialTarget, received: PartialObject): Promise<void> {
    await this.storeOf(received).store.abandon(target, received);
  }

  /** An object that moves is in both for a while, and never in none: it is copied before it is removed. */
  override async get(key: string, range?: ByteRange): Promise<Readable> {
    for (const { store } of this.stores) {
      const found = await store.get(key, range).catch((error: unknown) => {
        if (!(error instanceof ObjectNotFound)) throw error;
      });
      if (found) return found;
    }
    throw new ObjectNotFound(key);
  }

  override async stat(key: string): Promise<ObjectStat | undefined> {
    for (const { store } of this.stores) {
      const found = await store.stat(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The others first: what goes from the first alone would be read from them again. */
  override async delete(key: string): Promise<void> {
    for (const { store } of [...this.stores].reverse()) await store.delete(key);
  }

  override async *list(prefix?: string): AsyncGenerator<ObjectStat> {
    for (const [place, { store }] of this.stores.entries()) {
      for await (const found of store.list(prefix)) {
        if (!(await this.isIn(this.stores.slice(0, place), found.key))) yield found;
      }
    }
  }

  override async sweep(before: Date): Promise<number> {
    let removed = 0;
    for (const { store } of this.stores) removed += await store.sweep(before);
    return removed;
  }

  override async presignedGet(key: string, answer: PresignedAnswer, ttlSeconds: number): Promise<URL | undefined> {
    const holder = this.stores.length === 1 ? this.first : await this.holderOf(key);
    return holder.store.presignedGet(key, answer, ttlSeconds);
  }

  override async check(): Promise<void> {
    await Promise.all(this.stores.map(({ store }) => store.check()));
  }

  /** The first, for an object of which nothing is stored yet, and for a state of before stores had names. */
  private storeOf({ store: name }: PartialObject): NamedStore {
    return this.stores.find((named) => named.name === name) ?? this.first;
  }

  private async holderOf(key: string): Promise<NamedStore> {
    for (const named of this.stores) if ((await named.store.stat(key)) !== undefined) return named;
    return this.first;
  }

  private async isIn(stores: readonly NamedStore[], key: string): Promise<boolean> {
    for (const { store } of stores) if ((await store.stat(key)) !== undefined) return true;
    return false;
  }
}
