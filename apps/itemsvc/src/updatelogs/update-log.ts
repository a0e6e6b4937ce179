import { isDeepStrictEqual } from 'node:util';
import { newObjectId } from '@twinyard/conventions';
import type { RequestContext } from '@twinyard/auth';
import type { StoredDocument } from '@twinyard/documents';
import type { NamedItem } from '../nameditems/named-item';
import { isObject } from '../storage/filters';
import type { VersionRecord } from '../versions/version';
import { keptChanges } from './kept-changes';

/**
 * A value that is not as it was before; `_from` is missing where there was none, `_to` where there is none any more, and both where they were too
 * large for the entry.
 */
export interface FieldChange {
  /** Dotted; an array is one value. */
  readonly _path: string;
  readonly _from?: unknown;
  readonly _to?: unknown;
  readonly _isCut?: true;
}

/** An entry as the wire has it (contract 2.1). */
export interface UpdateLogEntry {
  readonly _id: string;
  readonly _action: 'CREATE' | 'UPDATE' | 'DELETE';
  /** Epoch milliseconds. */
  readonly _at: number;
  readonly _byId: string;
  readonly _byName?: string;
  readonly _changes: readonly FieldChange[];
}

/** An update or a deletion as it is kept. What made the record is told from its `_metadata`, so that a bulk create writes nothing here. */
export interface StoredUpdate extends UpdateLogEntry, StoredDocument {
  readonly _id: string;
  /** `_id` of the named item, or `endKey` of the related item. */
  readonly of: string;
  /** The collection version that a related item lies in. */
  readonly version?: string;
}

/** What a record looked like before and after. */
export interface Difference {
  readonly of: string;
  readonly version?: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Entries for those that are not as they were. */
export function toUpdates(ctx: RequestContext, at: number, differences: readonly Difference[]): StoredUpdate[] {
  const name = ctx.access.callerName;
  return differences.flatMap(({ of, version, before, after }): StoredUpdate[] => {
    const changes = keptChanges(changesBetween(before, after));
    if (changes.length === 0) return [];
    return [{
      _id: newObjectId(at), of, ...(version !== undefined && { version }), _action: 'UPDATE', _at: at, _byId: ctx.callerId,
      ...(name !== undefined && { _byName: name }), _changes: changes,
    }];
  });
}

/** Entries for related items that are gone: who deleted them and when, nothing of what they held. */
export function toDeletions(ctx: RequestContext, version: string, ofs: readonly string[]): StoredUpdate[] {
  const [at, name] = [Date.now(), ctx.access.callerName];
  return ofs.map((of) => ({ _id: newObjectId(at), of, version, _action: 'DELETE', _at: at, _byId: ctx.callerId, ...(name !== undefined && { _byName: name }), _changes: [] }));
}

/** A named item with all of its versions, by their numbers. */
export const itemState = (item: NamedItem, versions: readonly VersionRecord[]): Readonly<Record<string, unknown>> => ({
  ...item, _versions: Object.fromEntries(versions.map(({ _version, ...version }) => [String(_version), version])),
});

/** `_metadata` says when and by whom, as the entry itself does. */
const SAID_OTHERWISE = '_metadata';

export function changesBetween(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>, prefix = ''): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => name !== SAID_OTHERWISE);
  return names.flatMap((name) => changesOf(before[name], after[name], prefix + name));
}

function changesOf(from: unknown, to: unknown, path: string): FieldChange[] {
  if (isObject(from) && isObject(to)) return changesBetween(from, to, `${path}.`);
  if (isDeepStrictEqual(from, to)) return [];
  return [{ _path: path, ...(from !== undefined && { _from: from }), ...(to !== undefined && { _to: to }) }];
}
