import { type FieldIssue } from '@twinyard/conventions';

/** `{ "filter": { "<dotted path of the event>": "<pattern>" } }` (contract 7): all must hold; `*` is any run of characters. */
export interface TriggerFilters {
  readonly filter: Readonly<Record<string, string>>;
}

export type EventMatcher = (event: unknown) => boolean;

const MAX_CONDITIONS = 50;
const MAX_PATTERN = 500;

export function filterIssues(filters: unknown): FieldIssue[] {
  const field = '_event._filters';
  const filter = isFields(filters) ? filters['filter'] : undefined;
  if (!isFields(filter)) return [{ field, issue: 'must have the form { "filter": { "<path of the event>": "<pattern>" } }' }];
  const entries = Object.entries(filter);
  if (entries.length === 0 || entries.length > MAX_CONDITIONS) return [{ field: `${field}.filter`, issue: `must hold 1 to ${MAX_CONDITIONS} conditions` }];
  return entries
    .filter(([path, pattern]) => path === '' || typeof pattern !== 'string' || pattern.length > MAX_PATTERN)
    .map(([path]) => ({ field: `${field}.filter.${path}`, issue: `must be a pattern of at most ${MAX_PATTERN} characters` }));
}

/** Compiled once per trigger and version, then asked for every event of its namespace. */
export function compileFilter({ filter }: TriggerFilters): EventMatcher {
  const conditions = Object.entries(filter).map(([path, pattern]) => ({ path: path.split('.'), matches: compilePattern(pattern) }));
  return (event) => conditions.every(({ path, matches }) => valuesAt(event, path).some(matches));
}

/** Every part between stars in its order: linear, whatever the pattern. */
function compilePattern(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return (text) => text === pattern;
  const first = parts[0] as string;
  const last = parts.at(-1) as string;
  const middle = parts.slice(1, -1);
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    return containsInOrder(text.slice(first.length, text.length - last.length), middle);
  };
}

function containsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}

/** The texts at a path; an array on the way, or at its end, stands for each of its entries. */
function valuesAt(value: unknown, path: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => valuesAt(entry, path));
  const [key, ...rest] = path;
  if (key === undefined) return isScalar(value) ? [String(value)] : [];
  return isFields(value) && Object.hasOwn(value, key) ? valuesAt(value[key], rest) : [];
}

const isScalar = (value: unknown) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
const isFields = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value);
