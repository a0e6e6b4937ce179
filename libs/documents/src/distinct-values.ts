import { orderOfTexts } from './aggregation/order';
import type { StoredDocument } from './document';
import type { DistinctValue } from './document-store';
import type { Path } from './filter/ast';
import { isIndex } from './filter/path';
import { rankOf } from './type-order';

/** What `DocumentStore.distinct` answers, for paths that a store cannot follow itself. */
export function distinctValues(documents: readonly StoredDocument[], path: Path): DistinctValue[] {
  const found = new Map<string, { readonly value: unknown; count: number }>();
  for (const document of documents) {
    for (const [key, value] of new Map(valuesAt(document, path).map((each) => [JSON.stringify(each), each]))) {
      const entry = found.get(key) ?? { value, count: 0 };
      entry.count += 1;
      found.set(key, entry);
    }
  }
  return [...found.values()].sort((one, other) => compareValues(one.value, other.value));
}

/** Elements of arrays in their place, one array a step; a number is an index where the array has one, else a name in its elements. */
function valuesAt(value: unknown, [step, ...rest]: Path): readonly unknown[] {
  if (step === undefined) return Array.isArray(value) ? value : [value];
  if (typeof value !== 'object' || value === null) return [];
  if (!Array.isArray(value)) return Object.hasOwn(value, step) ? valuesAt((value as Record<string, unknown>)[step], rest) : [];
  if (isIndex(step) && value[Number(step)] !== undefined) return valuesAt(value[Number(step)], rest);
  return value.flatMap((element) => (typeof element === 'object' && element !== null && !Array.isArray(element) ? valuesAt(element, [step, ...rest]) : []));
}

/** BSON's order. Texts by code point, which is the order of their bytes; objects and arrays rank among each other by their JSON. */
function compareValues(one: unknown, other: unknown): number {
  const byRank = rankOf(one) - rankOf(other);
  if (byRank !== 0) return byRank;
  if (typeof one === 'number' || typeof one === 'boolean') return Number(one) - Number(other);
  return orderOfTexts(textOf(one), textOf(other));
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
