import { Injectable } from '@nestjs/common';
import { newObjectId } from '@twinyard/conventions';
import type { DocumentTx, StoredDocument } from '@twinyard/documents';
import { type DataKey, DataKeyGone, DataKeyUses, Envelope, UnopenableCiphertext } from '@twinyard/envelope';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { idOf } from '../updatelogs/update-logs.repository';
import { VersionsRepository } from '../versions/versions.repository';
import { dottedValues, replaceDotted } from './dotted-names';
import { EncryptedContentsRepository } from './encrypted-contents.repository';
import { changeEach, dottedIn, encryptionOf, type EncryptedPlace, keyIdOf, opened, recordOf, sealed } from './item-encryption';

const BATCH = 200;
/** Nothing lies under it any more: another rotation was first. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof DataKeyGone)) throw error;
}

/**
 * Between a version and the name of a pass: stands for a use while what it speaks of is being sealed anew; a writer that comes meanwhile, late,
 * says so anew. Each pass has a mark of its own and takes back, beside it, only those that were there before it began: what was sealed
 * behind another's back is not what this one has gone through.
 */
const RESEALING = '~';
/** Of one version, more than passes that were ever killed. */
const MARKS = 1_000;

export interface Resealed {
  readonly resealed: number;
  /** Records of items that did not open: they stay as they are, and so does their key. */
  readonly unopenable: readonly string[];
}

interface Pass {
  readonly place: EncryptedPlace;
  readonly mark: string;
  /** Seals from now on. */
  readonly newest: DataKey;
  resealed: number;
  readonly unopenable: Set<string>;
}

/**
 * Seals anew all that a collection version holds under older keys, beside its readers and writers: each step is a short transaction that
 * has its turn among the writers.
 */
@Injectable()
export class ResealVersion {
  constructor(
    private readonly contents: EncryptedContentsRepository,
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly envelope: Envelope,
    private readonly uses: DataKeyUses,
  ) {}

  /** Takes back what `holder` says of `olderKeys`, unless something did not open. `newest` of the namespace that is rotated, if any. */
  async run(holder: string, olderKeys: readonly string[], newest?: DataKey): Promise<Resealed> {
    const [versionId = ''] = holder.split(RESEALING);
    const place = await this.placeOf(versionId);
    if (place?.encryptedIn === undefined) {
      await this.release(olderKeys, [versionId, holder]);
      return { resealed: 0, unopenable: [] };
    }
    const key = newest?.namespace === place.encryptedIn ? newest : await this.envelope.keys.newest(place.encryptedIn);
    const pass: Pass = { place, mark: `${versionId}${RESEALING}${newObjectId()}`, newest: key, resealed: 0, unopenable: new Set() };
    const older = olderKeys.filter((id) => id !== key.id);
    if (older.length === 0) return { resealed: 0, unopenable: [] };
    const before = await this.marksOf(versionId, older);
    await this.begin(pass, older);
    await this.each((tx, after) => this.resealItems(tx, pass, after), versionId);
    await this.each((tx, after) => this.resealUpdates(tx, pass, after), versionId);
    await this.end(pass, older, before);
    return { resealed: pass.resealed, unopenable: [...pass.unopenable] };
  }

  private async placeOf(versionId: string): Promise<EncryptedPlace | undefined> {
    const [version] = await this.versions.findMany([versionId]);
    const [item] = version === undefined ? [] : await this.items.readMany([version._userItemDbId]);
    return item && { itemId: item._id, versionId, ...encryptionOf(item) };
  }

  private release(keyIds: readonly string[], holders: readonly string[]): Promise<void> {
    return this.contents.transaction(async (tx) => {
      for (const holder of new Set(holders)) await this.uses.release(tx, keyIds, holder);
    });
  }

  /** Of passes that go on, or were killed. */
  private async marksOf(versionId: string, keyIds: readonly string[]): Promise<string[]> {
    const behind = await this.uses.list(keyIds, versionId, MARKS);
    return behind.map(({ holder }) => holder).filter((holder) => holder.startsWith(versionId + RESEALING));
  }

  private begin({ place: { versionId }, mark }: Pass, older: readonly string[]): Promise<void> {
    return this.contents.transaction(async (tx) => {
      await this.versions.lock(tx, [versionId]);
      for (const keyId of older) await this.uses.hold(tx, { keyId, holder: mark }).catch(ignoreGone);
      await this.uses.release(tx, older, versionId);
    });
  }

  /** What did not open is in use as before. */
  private end({ place: { versionId }, mark, unopenable }: Pass, older: readonly string[], before: readonly string[]): Promise<void> {
    return this.contents.transaction(async (tx) => {
      await this.versions.lock(tx, [versionId]);
      if (unopenable.size > 0) for (const keyId of older) await this.uses.hold(tx, { keyId, holder: versionId }).catch(ignoreGone);
      for (const holder of [...before, mark]) await this.uses.release(tx, older, holder);
    });
  }

  /** Step by step, until a step has come to the end. */
  private async each(step: (tx: DocumentTx, after: string) => Promise<string | undefined>, versionId: string): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after;
      after = await this.contents.transaction(async (tx) => {
        await this.versions.lock(tx, [versionId]);
        return step(tx, from);
      });
    }
  }

  private async resealItems(tx: DocumentTx, pass: Pass, after: string): Promise<string | undefined> {
    const { documents: rows, isCut } = await this.contents.items(tx, pass.place, after, BATCH);
    const anew: StoredDocument[] = [];
    for (const row of rows) {
      const reseal = await this.resealer(pass, row._id, dottedValues(row));
      if (reseal !== undefined) anew.push(replaceDotted(row, '', reseal) as StoredDocument);
    }
    if (anew.length > 0) await this.hold(tx, pass);
    await this.contents.replaceItems(tx, pass.place, anew);
    pass.resealed += anew.length;
    return isCut || rows.length === BATCH ? rows.at(-1)?._id : undefined;
  }

  private async resealUpdates(tx: DocumentTx, pass: Pass, after: string): Promise<string | undefined> {
    const { documents: rows, isCut } = await this.contents.updates(tx, pass.place, after, BATCH);
    const anew = [];
    for (const row of rows) {
      const reseal = await this.resealer(pass, idOf(row), row._changes.flatMap(dottedIn));
      if (reseal !== undefined) anew.push({ ...row, _changes: row._changes.map((change) => changeEach(change, reseal)) });
    }
    if (anew.length > 0) await this.hold(tx, pass);
    await this.contents.replaceUpdates(tx, anew);
    pass.resealed += anew.length;
    return isCut || rows.length === BATCH ? rows.at(-1)?._id : undefined;
  }

  /** As every writer: a later rotation may have this key among its old ones by now. */
  private hold(tx: DocumentTx, { place: { versionId }, newest }: Pass): Promise<void> {
    return this.uses.hold(tx, { keyId: newest.id, holder: versionId });
  }

  /** What to put in the place of each ciphertext of one record; `undefined`: nothing is to be done, or it does not open. */
  private async resealer({ place, newest, unopenable }: Pass, id: string, values: readonly { readonly path: string; readonly value: unknown }[]) {
    if (values.every(({ value }) => keyIdOf(value) === newest.id)) return undefined;
    const keys = new Map<string, DataKey>([[newest.id, newest]]);
    for (const keyId of new Set(values.flatMap(({ value }) => keyIdOf(value) ?? []))) {
      const key = await this.envelope.keys.find(keyId);
      if (key !== undefined) keys.set(keyId, key);
    }
    try {
      for (const { path, value } of values) opened(keys, recordOf(place, id, path), value);
    } catch (error) {
      if (!(error instanceof UnopenableCiphertext)) throw error;
      unopenable.add(recordOf(place, id, ''));
      return undefined;
    }
    return (value: unknown, path: string) => sealed(newest, recordOf(place, id, path), opened(keys, recordOf(place, id, path), value));
  }
}
