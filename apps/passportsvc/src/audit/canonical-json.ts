type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * RFC 8785 (JSON Canonicalization Scheme): no spaces, strings and numbers as ECMAScript writes them, and "property name strings …
 * sorted by their UTF-16 code units", which is how `sort` compares.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}

const isArray = (value: object): value is readonly Json[] => Array.isArray(value);
