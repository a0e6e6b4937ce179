import type { IndexSpec } from '../document-store';
import { parsePath } from '../filter/path';
import { isText, isUnique } from '../indexes/index-spec';
import { indexKey } from './index-key';
import { textVector } from './text-search';

/** An index as PostgreSQL is asked for it, for `format`. */
export interface Definition {
  readonly kind: 'index' | 'unique index';
  /** Behind that of the index itself. */
  readonly name: '' | '_nulls';
  readonly template: string;
  readonly values: readonly string[];
}

export function definitionsOf(index: IndexSpec): Definition[] {
  if (isText(index)) return [textIndex(index)];
  return isUnique(index) ? [{ ...fieldIndex(index), kind: 'unique index' }, nullsIndex(index)] : [fieldIndex(index)];
}

/** PostgreSQL's text form of an array. */
const arrayText = (path: readonly string[]) => `{${path.map((step) => `"${step.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

const VALUE = 'doc #> %L::text[]';

function fieldIndex(index: IndexSpec): Definition {
  const entries = Object.entries(index.key);
  const columns = entries.map(([, direction]) => `(${indexKey(VALUE, index)}) ${direction === -1 ? 'desc' : 'asc'}`);
  return { kind: 'index', name: '', template: `(part, ${columns.join(', ')})`, values: entries.map(([path]) => arrayText(parsePath(path, 'key'))) };
}

/**
 * To the index itself `null` and a missing field are two values, as queries tell them apart: that they are one is held by another, of these
 * documents alone. Where a path goes through an array, what lies behind it is not told, and nothing is held.
 */
function nullsIndex(index: IndexSpec): Definition {
  const steps = Object.keys(index.key).map((path) => parsePath(path, 'key'));
  const paths = steps.map(arrayText);
  const onTheWay = steps.flatMap((path) => path.slice(1).map((_, place) => arrayText(path.slice(0, place + 1))));
  const column = `nullif(${indexKey(VALUE, index)}, 'null')`;
  const someNull = `(${paths.map(() => `nullif(${VALUE}, 'null') is null`).join(' or ')})`;
  const noArray = onTheWay.map(() => `jsonb_typeof(${VALUE}) is distinct from 'array'`);
  const template = `(part, ${paths.map(() => column).join(', ')}) nulls not distinct where ${[someNull, ...noArray].join(' and ')}`;
  return { kind: 'unique index', name: '_nulls', template, values: [...paths, ...paths, ...onTheWay] };
}

function textIndex(index: IndexSpec): Definition {
  const values: string[] = [];
  const literal = (value: string) => {
    values.push(value);
    return '%L';
  };
  return { kind: 'index', name: '', template: `using gin ((${textVector(index, 'doc', literal)}))`, values };
}
