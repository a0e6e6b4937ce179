import { booleanParameter, type FieldIssue, invalidFields, isUuid, listParameter, type PageBounds, type QueryValues, repeatedParameter, textParameter } from '@twinyard/conventions';
import { FILE_TYPES, type FileType } from './file-status';
import { toTags } from './file-tags';
import { type NamePattern, parseNamePattern } from './name-pattern';

/** Specification 3: default 25, maximum 200. */
export const FILE_PAGE_BOUNDS: PageBounds = { defaultSize: 25, maxSize: 200 };

const MAX_IDS = 200;
const ROOT = 'root';

/** Which files a list is asked for; every condition must hold. */
export interface FileFilter {
  readonly namespaces?: readonly string[];
  /** Files that lie in all of these; `null` is the root. */
  readonly parents?: readonly (string | null)[];
  readonly ids?: readonly string[];
  readonly name?: NamePattern;
  /** Any of them. */
  readonly tags?: readonly string[];
  readonly statuses?: readonly string[];
  readonly type?: FileType;
}

export function parseFileFilter(query: QueryValues): FileFilter {
  const name = textParameter(query, '_name');
  const parents = listParameter(query, '_parents');
  return {
    ...given('namespaces', listParameter(query, '_namespaces')),
    ...(parents?.length && { parents: [...new Set(parents)].map((parent) => (parent === ROOT ? null : parent)) }),
    ...given('ids', listParameter(query, '_ids')),
    ...(name && { name: parseNamePattern(name) }),
    ...given('tags', tagsOf(query)),
    ...given('statuses', listParameter(query, '_status')),
    ...parseChoices(query),
  };
}

/** Of a text with commas each part, and the whole: a tag that came in JSON may hold one. */
function tagsOf(query: QueryValues): readonly string[] | undefined {
  const whole = repeatedParameter(query, '_tags')?.filter((text) => text.includes(',')) ?? [];
  const tags = listParameter(query, '_tags');
  return tags && toTags([...tags, ...whole]);
}

/** An empty parameter filters nothing. */
const given = <K extends string>(key: K, values: readonly string[] | undefined) =>
  (values !== undefined && values.length > 0 ? { [key]: values } : {}) as { [key in K]?: readonly string[] };

function parseChoices(query: QueryValues): { type?: FileType } {
  const issues: FieldIssue[] = [];
  const type = FILE_TYPES.find((known) => known === textParameter(query, '_type'));
  if (type === undefined && textParameter(query, '_type')) issues.push({ field: '_type', issue: `must be one of ${FILE_TYPES.join(', ')}` });
  if ((listParameter(query, '_ids')?.length ?? 0) > MAX_IDS) issues.push({ field: '_ids', issue: `must not name more than ${MAX_IDS} files` });
  if (issues.length > 0) throw invalidFields(issues);
  return type === undefined ? {} : { type };
}

export const wantsUrls = (query: QueryValues) => booleanParameter(query, 'withUrl');

/** Ids that can name a record at all; others match nothing. */
export const onlyUuids = (ids: readonly string[]) => ids.filter(isUuid);
