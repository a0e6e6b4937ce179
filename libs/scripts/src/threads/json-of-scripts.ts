/** `__proto__` as a key of JSON is harmless until somebody copies the object: it stays out. */
export function parsedJson(json: string): unknown {
  if (!MAY_NAME_PROTOTYPE.test(json)) return JSON.parse(json);
  return JSON.parse(json, (key, value: unknown) => (key === '__proto__' ? undefined : value));
}

/** The key may be written with escapes. */
const MAY_NAME_PROTOTYPE = /__proto__|\\u00/;
