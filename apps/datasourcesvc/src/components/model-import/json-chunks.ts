export interface JsonChunk {
  /** A JSON array. */
  readonly json: string;
  readonly count: number;
}

/** Up to 1,000 items are answered at once, and a body has at most 10 MB (contract 2.3). */
const MAX_ITEMS = 1_000;
const MAX_BYTES = 8_000_000;

/** Items as bodies of bulk requests. An item alone may be larger than the limit: that is for the service to say. */
export async function* jsonChunks(items: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<JsonChunk> {
  let texts: string[] = [];
  let bytes = 0;
  for await (const item of items) {
    const text = storableJson(item);
    const size = Buffer.byteLength(text) + 1;
    if (texts.length >= MAX_ITEMS || (texts.length > 0 && bytes + size > MAX_BYTES)) {
      yield { json: `[${texts.join(',')}]`, count: texts.length };
      [texts, bytes] = [[], 0];
    }
    texts.push(text);
    bytes += size;
  }
  if (texts.length > 0) yield { json: `[${texts.join(',')}]`, count: texts.length };
}

/** How JSON.stringify writes NUL and half a surrogate pair, which no text of the platform may hold (contract 0.1). */
const BROKEN = /\\u0000|\\ud[89a-f][0-9a-f]{2}/;

function storableJson(item: unknown): string {
  const text = JSON.stringify(item);
  return BROKEN.test(text) ? JSON.stringify(repaired(item)) : text;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(repaired);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [repaired(key) as string, repaired(child)]));
}
