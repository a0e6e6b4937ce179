import { Injectable } from '@nestjs/common';
import type { DocumentTx, StoredDocument } from '@twinyard/documents';
import { type DataKey, DataKeyGone, DataKeyUses, Envelope, openText, parseCiphertext, readAnewWhenSealedAnew, sealText, UnopenableCiphertext } from '@twinyard/envelope';
import type { NamedItem } from '../nameditems/named-item';
import type { FieldChange } from '../updatelogs/update-log';
import { dottedValues, isDottedPath, replaceDotted } from './dotted-names';

/** Where ciphertexts stand: a version of a collection, whose writers take turns. */
export interface EncryptedPlace {
  readonly itemId: string;
  readonly versionId: string;
  /** Under whose newest key is sealed; absent: nothing is encrypted here. */
  readonly encryptedIn?: string;
}

/** The namespace under whose key the dotted names of a collection's items lie: its first. */
export const encryptionOf = ({ _encryptionEnabled, _namespaces }: Pick<NamedItem, '_encryptionEnabled' | '_namespaces'>): Pick<EncryptedPlace, 'encryptedIn'> =>
  (_encryptionEnabled === true && _namespaces[0] !== undefined ? { encryptedIn: _namespaces[0] } : {});

/** What a ciphertext is bound to: it opens in this property of this item alone. */
export const recordOf = ({ itemId, versionId }: EncryptedPlace, id: string, path: string) => `itemsvc:relateditem:${itemId}:${versionId}:${id}:${path}`;

type Keys = ReadonlyMap<string, DataKey>;

/** Seals and opens what stands under dotted names. Everywhere else in the service it is plain, and nowhere in the store. */
@Injectable()
export class ItemEncryption {
  constructor(
    private readonly envelope: Envelope,
    private readonly uses: DataKeyUses,
  ) {}

  /** Work that seals: before its transaction the key is there, and when it was removed meanwhile the work is done again under the newest. */
  async ready<T>({ encryptedIn }: Pick<EncryptedPlace, 'encryptedIn'>, work: () => Promise<T>): Promise<T> {
    if (encryptedIn === undefined) return work();
    await this.envelope.keys.newest(encryptedIn);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DataKeyGone)) throw error;
      this.envelope.keys.forget(encryptedIn);
      await this.envelope.keys.newest(encryptedIn);
      return work();
    }
  }

  async seal<T extends StoredDocument>(tx: DocumentTx, place: EncryptedPlace, items: readonly T[]): Promise<readonly T[]> {
    if (place.encryptedIn === undefined || !items.some((item) => dottedValues(item).length > 0)) return items;
    const key = await this.hold(tx, place, place.encryptedIn);
    return items.map((item) => replaceDotted(item, '', (value, path) => sealed(key, recordOf(place, item._id, path), value)) as T);
  }

  /** As `open`, of rows that are read outside of a transaction, for which they may be read twice. */
  read<T extends StoredDocument>(place: EncryptedPlace, find: () => Promise<readonly T[]>): Promise<T[]> {
    return readAnewWhenSealedAnew(async () => this.open(place, await find()));
  }

  /** Rows as the store has them, each with its `_id`; other properties may have been left out. */
  async open<T extends StoredDocument>(place: EncryptedPlace, rows: readonly T[]): Promise<T[]> {
    if (place.encryptedIn === undefined) return rows as T[];
    const keys = await this.keysOf(rows.flatMap((row) => dottedValues(row)));
    return rows.map((row) => replaceDotted(row, '', (value, path) => opened(keys, recordOf(place, row._id, path), value)) as T);
  }

  /** Of an update log: the path of a change goes on inside of its values. */
  async sealChanges(tx: DocumentTx, place: EncryptedPlace, id: string, changes: readonly FieldChange[]): Promise<readonly FieldChange[]> {
    if (place.encryptedIn === undefined || changes.every((change) => dottedIn(change).length === 0)) return changes;
    const key = await this.hold(tx, place, place.encryptedIn);
    return changes.map((change) => changeEach(change, (value, path) => sealed(key, recordOf(place, id, path), value)));
  }

  async openChanges(place: EncryptedPlace, id: string, changes: readonly FieldChange[]): Promise<readonly FieldChange[]> {
    if (place.encryptedIn === undefined) return changes;
    const keys = await this.keysOf(changes.flatMap(dottedIn));
    return changes.map((change) => changeEach(change, (value, path) => opened(keys, recordOf(place, id, path), value)));
  }

  private async hold(tx: DocumentTx, { versionId }: EncryptedPlace, namespace: string): Promise<DataKey> {
    const key = await this.envelope.keys.newest(namespace);
    await this.uses.hold(tx, { keyId: key.id, holder: versionId });
    return key;
  }

  /** Those that the ciphertexts name. */
  private async keysOf(values: readonly { readonly value: unknown }[]): Promise<Keys> {
    const ids = new Set(values.flatMap(({ value }) => keyIdOf(value) ?? []));
    const keys = new Map<string, DataKey>();
    for (const id of ids) {
      const key = await this.envelope.keys.find(id);
      if (key !== undefined) keys.set(id, key);
    }
    return keys;
  }
}

export const keyIdOf = (value: unknown): string | undefined => (typeof value === 'string' ? parseCiphertext(value)?.keyId : undefined);

export const sealed = (key: DataKey, record: string, value: unknown): string => sealText(key, record, JSON.stringify(value));

/** @throws UnopenableCiphertext */
export function opened(keys: Keys, record: string, value: unknown): unknown {
  const key = keys.get(keyIdOf(value) ?? '');
  if (key === undefined) throw new UnopenableCiphertext();
  return JSON.parse(openText(key, record, value as string)) as unknown;
}

/** What of a change is encrypted: all of it under a dotted path, else what its values hold. */
export const dottedIn = ({ _path, ...sides }: FieldChange) =>
  [sides._from, sides._to].filter((side) => side !== undefined).flatMap((side) => (isDottedPath(_path) ? [{ path: _path, value: side }] : dottedValues(side, _path)));

export function changeEach(change: FieldChange, replace: (value: unknown, path: string) => unknown): FieldChange {
  const { _path, _from, _to } = change;
  const side = (value: unknown) => (isDottedPath(_path) ? replace(value, _path) : replaceDotted(value, _path, replace));
  return { ...change, ...(_from !== undefined && { _from: side(_from) }), ...(_to !== undefined && { _to: side(_to) }) };
}
