import { isObject } from '../storage/filters';
import { Issues, requireArray } from '../storage/issues';

export interface MemberDraft {
  readonly at: string;
  /** `_id` or `_userItemId` */
  readonly key: string;
  readonly versionId?: string;
}

/** Ids of members, or records `{ _userItemId, _userItemVersionId? }` (contract 2.1). */
export function parseMembers(body: unknown): MemberDraft[] {
  const issues = new Issues();
  const drafts = requireArray(body).map((entry, index): MemberDraft => {
    const at = `[${index}]`;
    if (typeof entry === 'string' && entry !== '') return { at, key: entry };
    if (!isObject(entry)) {
      issues.add(at, 'must be an id or an object with _userItemId');
      return { at, key: '' };
    }
    const name = entry['_userItemId'] === undefined && entry['_id'] !== undefined ? '_id' : '_userItemId';
    const key = issues.text(entry, name, `${at}.`) ?? '';
    const versionId = issues.text(entry, '_userItemVersionId', `${at}.`, { required: false });
    return { at, key, ...(versionId !== undefined && { versionId }) };
  });
  issues.refuse();
  return drafts;
}
