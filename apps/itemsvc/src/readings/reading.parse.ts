import { mapInTurns } from '@twinyard/conventions';
import { parseTimestamp, type Reading } from '@twinyard/documents';
import { isObject } from '../storage/filters';
import { Issues, requireBoundedArray } from '../storage/issues';
import { checkProperty } from '../storage/property-names';

/** Measurements that a request holds, each with its place in it. */
export interface ReadingDraft {
  readonly at: string;
  readonly reading: Reading;
}

/** `_ts`, `_tsMetadata` and any measurement fields; every bad one is named by index. */
export async function parseReadings(body: unknown): Promise<ReadingDraft[]> {
  const { drafts, issues } = await readReadings(body);
  issues.refuse();
  return drafts;
}

/** The same with the faults not yet refused, for who has more to add to them. */
export async function readReadings(body: unknown): Promise<{ readonly drafts: ReadingDraft[]; readonly issues: Issues }> {
  const issues = new Issues();
  const drafts = await mapInTurns(requireBoundedArray(body, 'readings'), (entry, index) => parseReading(entry, `[${index}]`, issues));
  return { drafts: drafts.filter((draft) => draft !== undefined), issues };
}

/** `at`: where it stands in the request. */
export function parseReading(entry: unknown, at: string, issues: Issues): ReadingDraft | undefined {
  if (!isObject(entry)) {
    issues.add(at, 'must be an object');
    return undefined;
  }
  const instant = toInstant(entry['_ts']);
  if (instant === undefined) issues.add(`${at}._ts`, 'must be a date and time in ISO 8601, with a zone or in UTC');
  const metadata = entry['_tsMetadata'];
  const source = isObject(metadata) ? metadata : {};
  const telItemId = issues.text(source, '_telItemId', `${at}._tsMetadata.`) ?? '';
  const sourceId = issues.text(source, '_sourceId', `${at}._tsMetadata.`) ?? '';
  for (const key of Object.keys(entry)) checkProperty(entry, key, at, issues);
  const { _id, _ts, _tsMetadata, ...fields } = entry;
  return { at, reading: { ...fields, _ts: instant ?? '', _tsMetadata: { ...source, _telItemId: telItemId, _sourceId: sourceId } } };
}

/** The instant in UTC; `undefined` for what is no date, also for a day that the calendar does not have. */
function toInstant(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const date = parseTimestamp(value);
  return date === undefined ? undefined : date.toISOString();
}
