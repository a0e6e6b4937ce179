export type CanonicalValue = string | number | boolean | null | readonly CanonicalValue[] | { readonly [key: string]: CanonicalValue };

/**
 * RFC 8785 (JSON Canonicalization Scheme): no spaces, strings and numbers as ECMAScript writes them, and "property name strings …
 * sorted by their UTF-16 code units", which is how `sort` compares.
 */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as CanonicalValue)}`);
  return `{${members.join(',')}}`;
}

const isArray = (value: object): value is readonly CanonicalValue[] => Array.isArray(value);
