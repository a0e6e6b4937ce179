import type { IndexSpec } from '@twinyard/documents';
import { isObject } from '../storage/filters';
import { Issues, requireArray } from '../storage/issues';

const DIRECTIONS: readonly unknown[] = [1, -1, 'text'];

/** Bodies of `POST /indexes` (contract 2.5); every fault is named by index. */
export function parseIndexes(body: unknown): IndexSpec[] {
  const issues = new Issues();
  const specs = requireArray(body).map((entry, index) => parseIndex(entry, `[${index}]`, issues));
  issues.refuse();
  return specs;
}

function parseIndex(entry: unknown, at: string, issues: Issues): IndexSpec {
  const source = isObject(entry) ? entry : {};
  if (!isObject(entry)) issues.add(at, 'must be an object');
  const options = issues.object(source, 'options', `${at}.`) ?? {};
  const key = parseKey(source, at, issues);
  const name = issues.text(options, 'name', `${at}.options.`, { max: 128 }) ?? '';
  const language = issues.text(options, 'default_language', `${at}.options.`, { required: false });
  return { key, options: { name, ...(options['unique'] === true && { unique: true }), ...(language !== undefined && { default_language: language }) } };
}

function parseKey(source: Record<string, unknown>, at: string, issues: Issues): IndexSpec['key'] {
  const key = issues.object(source, 'key', `${at}.`) ?? {};
  if (Object.keys(key).length === 0) issues.add(`${at}.key`, 'must name at least one path');
  for (const [path, direction] of Object.entries(key)) {
    if (!DIRECTIONS.includes(direction)) issues.add(`${at}.key.${path}`, 'must be 1, -1 or "text"');
  }
  return key as IndexSpec['key'];
}
