import { isObjectId, mapInTurns } from '@twinyard/conventions';
import { parseRelationTarget } from '../relateditems/related-item.parse';
import { isObject } from '../storage/filters';
import { Issues, requireBoundedArray } from '../storage/issues';
import type { LinkDraft } from './relation-links';

/** Records of `PUT /relationships` (contract 2.4); every fault is named by index. */
export async function parseRelationships(body: unknown): Promise<LinkDraft[]> {
  const issues = new Issues();
  const drafts = await mapInTurns(requireBoundedArray(body, 'relations'), (entry, index) => parseRecord(entry, `[${index}]`, issues));
  issues.refuse();
  return drafts.filter((draft) => draft !== undefined);
}

function parseRecord(entry: unknown, at: string, issues: Issues): LinkDraft | undefined {
  const target = parseRelationTarget(entry, at, issues);
  if (target === undefined) return undefined;
  const fromId = issues.text(entry as Record<string, unknown>, '_relatedFromId', `${at}.`);
  return { ...target, fromId: fromId ?? '' };
}

export interface RelationsToRemove {
  readonly ids: readonly string[];
  readonly records: readonly LinkDraft[];
}

/** What a delete names: relations by `_id`, or records as they were put. */
export function parseRelationsToRemove(body: unknown): RelationsToRemove {
  const issues = new Issues();
  const ids: string[] = [];
  const records: LinkDraft[] = [];
  requireBoundedArray(body, 'relations').forEach((entry, index) => {
    const at = `[${index}]`;
    if (typeof entry === 'string') {
      ids.push(entry);
    } else if (isObject(entry) && isObjectId(entry['_id'])) {
      ids.push(entry['_id']);
    } else {
      records.push(...[parseRecord(entry, at, issues)].filter((record) => record !== undefined));
    }
  });
  issues.refuse();
  return { ids, records };
}
