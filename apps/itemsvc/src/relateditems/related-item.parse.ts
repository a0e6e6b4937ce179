import { isObjectId, Turn } from '@twinyard/conventions';
import type { ItemClass } from '../nameditems/named-item';
import { isObject } from '../storage/filters';
import { Issues, requireBoundedArray, requireObject } from '../storage/issues';
import { checkProperty } from '../storage/property-names';
import { type RelatedItemDraft, type RelationDraft, SERVICE_FIELDS } from './related-item';

/** Of the name that a sensor has in its own system. */
const MAX_SOURCE_ID_BYTES = 1_024;

/** Which write the items are for: it decides what they must hold. */
export type WriteKind = 'create' | 'bulk' | 'replace' | 'replace-one';

/**
 * Plain checks by hand: a bulk holds tens of thousands of items, and others have their turn while it is looked at. The faults of all items are
 * named at once.
 */
export async function parseRelatedItems(body: unknown, itemClass: ItemClass, kind: WriteKind): Promise<RelatedItemDraft[]> {
  const issues = new Issues();
  const drafts: RelatedItemDraft[] = [];
  const seen = new Set<string>();
  const turn = new Turn();
  for (const [index, entry] of requireBoundedArray(body, 'items').entries()) {
    if (turn.isOver) await turn.pass();
    const at = `[${index}]`;
    if (!isObject(entry)) {
      issues.add(at, 'must be an object');
      continue;
    }
    const draft = parseItem(entry, at, { itemClass, kind, issues });
    if (draft.id !== undefined && seen.has(draft.id)) issues.add(`${at}._id`, `${draft.id} stands twice in the request`);
    if (draft.id !== undefined) seen.add(draft.id);
    drafts.push(draft);
  }
  issues.refuse();
  return drafts;
}

/** The body of a replacement by id: its own `_id` is ignored. */
export function parseRelatedItem(body: unknown, id: string, itemClass: ItemClass): RelatedItemDraft {
  const issues = new Issues();
  const draft = parseItem({ ...requireObject(body), _id: id }, '', { itemClass, kind: 'replace-one', issues });
  issues.refuse();
  return draft;
}

interface Rules {
  readonly itemClass: ItemClass;
  readonly kind: WriteKind;
  readonly issues: Issues;
}

function parseItem(entry: Record<string, unknown>, at: string, rules: Rules): RelatedItemDraft {
  const { issues } = rules;
  const prefix = at === '' ? '' : `${at}.`;
  const id = parseId(entry['_id'], `${prefix}_id`, rules);
  const guid = issues.text(entry, '_guid', prefix, { required: false });
  requireClassFields(entry, prefix, rules);
  const properties = parseProperties(entry, at, issues);
  const relations = parseEmbedded(entry, prefix, issues);
  return { at, properties, ...(id !== undefined && { id }), ...(guid !== undefined && { guid }), ...(relations && { relations }) };
}

function parseProperties(entry: Record<string, unknown>, at: string, issues: Issues): Record<string, unknown> {
  const keys = Object.keys(entry).filter((key) => !SERVICE_FIELDS.has(key));
  for (const key of keys) checkProperty(entry, key, at, issues);
  // Most entries hold nothing of the service's: nobody changes them, so they need no copy.
  return keys.length === Object.keys(entry).length ? entry : Object.fromEntries(keys.map((key) => [key, entry[key]]));
}

function parseId(value: unknown, field: string, { kind, issues }: Rules): string | undefined {
  if (value === undefined || value === null) {
    if (kind === 'replace') issues.add(field, 'is required');
    return undefined;
  }
  if (kind === 'replace-one') return String(value);
  if (isObjectId(value)) return value;
  issues.add(field, 'must be 24 lower-case hex digits');
  return undefined;
}

function requireClassFields(entry: Record<string, unknown>, prefix: string, { itemClass, kind, issues }: Rules): void {
  if (itemClass === 'NamedFileCollection') {
    issues.text(entry, '_fileId', prefix);
    issues.text(entry, '_fileVersionId', prefix, { required: false });
    issues.text(entry, '_fileRepositoryId', prefix, { required: false });
  }
  if (itemClass !== 'NamedTelemetryCollection') return;
  const sourceId = issues.text(entry, '_sourceId', prefix, { required: kind === 'create' });
  if (sourceId !== undefined && Buffer.byteLength(sourceId) > MAX_SOURCE_ID_BYTES) issues.add(`${prefix}_sourceId`, `must have at most ${MAX_SOURCE_ID_BYTES} bytes`);
}

/** `_relationships`, or for file items `_related` (contract 2.4). */
function parseEmbedded(entry: Record<string, unknown>, prefix: string, issues: Issues): RelationDraft[] | undefined {
  const name = ['_relationships', '_related'].find((field) => entry[field] !== undefined && entry[field] !== null);
  if (name === undefined) return undefined;
  const list = entry[name];
  if (!Array.isArray(list)) {
    issues.add(`${prefix}${name}`, 'must be an array');
    return undefined;
  }
  return list.flatMap((relation, index) => parseRelationTarget(relation, `${prefix}${name}[${index}]`, issues) ?? []);
}

/** `{ _relatedUserItemDbId | _relatedUserItemId, _relatedUserItemVersionId?, _relatedToIds }` */
export function parseRelationTarget(relation: unknown, at: string, issues: Issues): RelationDraft | undefined {
  if (!isObject(relation)) {
    issues.add(at, 'must be an object');
    return undefined;
  }
  const prefix = `${at}.`;
  const name = relation['_relatedUserItemDbId'] === undefined ? '_relatedUserItemId' : '_relatedUserItemDbId';
  const targetKey = issues.text(relation, name, prefix);
  const targetVersionId = issues.text(relation, '_relatedUserItemVersionId', prefix, { required: false });
  const toIds = issues.texts(relation, '_relatedToIds', prefix);
  return { at, targetKey: targetKey ?? '', toIds, ...(targetVersionId !== undefined && { targetVersionId }) };
}
