import type { Path } from '../filter/ast';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a path of a filter leads to, as MongoDB has it: it looks into one array a step, where a number is the place in it or a name in its
 * elements. `undefined`: a field that is missing. `intoLast`: the elements of an array at the end, beside the array.
 */
export function* pathValues(document: Fields, path: Path, intoLast: boolean): Generator<unknown> {
  const [step = '', ...rest] = path;
  const value = Object.hasOwn(document, step) ? document[step] : undefined;
  if (Array.isArray(value)) yield* ofArray(value, rest, intoLast);
  else if (rest.length === 0) yield value;
  else if (isFields(value)) yield* pathValues(value, rest, intoLast);
  else yield undefined;
}

function* ofArray(array: readonly unknown[], rest: Path, intoLast: boolean): Generator<unknown> {
  if (rest.length > 0) return yield* ofElements(array, rest, intoLast);
  if (intoLast) yield* array;
  yield array;
}

function* ofElements(array: readonly unknown[], rest: Path, intoLast: boolean): Generator<unknown> {
  for (const [place, element] of array.entries()) {
    if (isFields(element)) yield* pathValues(element, rest, intoLast);
    if (String(place) === rest[0]) yield* ofPlace(element, rest.slice(1), intoLast);
  }
}

/** The end of a path in a place of an array is the value itself, and nothing in it. */
function* ofPlace(element: unknown, rest: Path, intoLast: boolean): Generator<unknown> {
  if (rest.length === 0) yield element;
  else if (isFields(element)) yield* pathValues(element, rest, intoLast);
  else if (Array.isArray(element)) yield* ofElements(element, rest, intoLast);
}

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
