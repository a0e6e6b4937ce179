import { invalidField, type QueryValues, textParameter } from '@twinyard/conventions';
import { isDeepStrictEqual } from 'node:util';
import { type ConflictRule, parseConflictRule } from '../../readings/same-instants';
import { Issues } from '../../storage/issues';
import { merged } from '../../storage/merged';
import type { RelatedItem, RelatedItemDraft } from '../related-item';

/** What items of an upsert are known by. */
const KEY = '_sourceId';
const MAX_KEY_BYTES = 1_024;

/** How many items of an upsert were new, and what became of those that were there: `_unchanged` had the content that was sent. */
export interface UpsertFigures {
  readonly _new: number;
  readonly _changed: number;
  readonly _unchanged: number;
  readonly _kept: number;
}

/** The rule for what is there; `undefined`: the request is none of this kind. */
export function parseUpsertRule(query: QueryValues): ConflictRule | undefined {
  const by = textParameter(query, 'by') || undefined;
  if (by === undefined) return undefined;
  if (by !== KEY) throw invalidField('by', `must be ${KEY}`);
  return parseConflictRule(query) ?? 'replace';
}

export const sourceOf = ({ properties }: RelatedItemDraft): string => properties[KEY] as string;

/** Each has a key, and none another has; what else names an item, or leads to others, is not for an upsert. */
export function requireSources(drafts: readonly RelatedItemDraft[]): void {
  const issues = new Issues();
  const seen = new Set<string>();
  for (const { at, id, relations, properties } of drafts) {
    const key = properties[KEY];
    const issue = keyIssue(key) ?? (seen.has(key as string) ? 'stands twice in the request' : undefined);
    if (issue !== undefined) issues.add(`${at}.${KEY}`, issue);
    seen.add(key as string);
    if (id !== undefined) issues.add(`${at}._id`, `is not for items that are known by their ${KEY}`);
    if (relations !== undefined) issues.add(`${at}._relationships`, `is not for items that are known by their ${KEY}`);
  }
  issues.refuse();
}

function keyIssue(key: unknown): string | undefined {
  if (typeof key !== 'string' || key.trim() === '') return 'is required, a text that is not empty';
  return Buffer.byteLength(key) > MAX_KEY_BYTES ? `must have at most ${MAX_KEY_BYTES} bytes` : undefined;
}

/** An item as it is behind an upsert. */
export function upserted(rule: Exclude<ConflictRule, 'keep'>, { properties, guid }: RelatedItemDraft, old: RelatedItem, metadata: RelatedItem['_metadata']): RelatedItem {
  const { _id, _guid, _metadata, ...before } = old;
  const kept = guid ?? _guid;
  const after = rule === 'merge' ? (merged(before, properties) as Record<string, unknown>) : properties;
  return { ...after, _id, ...(kept !== undefined && { _guid: kept }), _metadata: metadata };
}

export const isChanged = ({ _metadata: _before, ...before }: RelatedItem, { _metadata: _after, ...after }: RelatedItem): boolean => !isDeepStrictEqual(before, after);
