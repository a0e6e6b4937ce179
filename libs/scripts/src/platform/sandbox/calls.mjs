// How calls are made, and lists read page by page.
import { fromBase64, toBase64 } from './base64.mjs';

const { parse, stringify } = JSON;
const DEFAULT_PAGE = 500;

/** Throws what the script is refused, and says of it that it was asked for here, also when it comes much later. */
export function thrownHere() {
  const { stack } = new Error();
  return (refusal) => {
    throw refusal instanceof Error ? Object.defineProperty(refusal, 'stack', { value: stack, configurable: true, writable: true }) : refusal;
  };
}

/** For what the script calls, and runs nothing of its own. */
export const placed = (work) => (...given) => work(...given).catch(thrownHere());

/** `request(method, path, options)`: the answer of one operation. Its JSON is read here, in the script's own time. */
export const requestWith = (ask) => async (method, path, options = {}) => {
  const { query, headers, body, file, isText, encoding, isRepeatable } = options;
  const { status, headers: told, json, text, base64 } = await ask('request', { method, path, query, headers, ...bodyOf(body), file, isText, encoding, isRepeatable });
  return { status, headers: told, body: json === undefined ? (base64 === undefined ? text : fromBase64(base64)) : parse(json) };
};

/** A text goes as it is where a type says what it is, bytes always. */
function bodyOf(body) {
  if (body === undefined) return {};
  if (body instanceof Uint8Array) return { base64: toBase64(body) };
  return typeof body === 'string' ? { text: body } : { json: stringify(body) };
}

const ours = new WeakMap();

/** What a script has to go through by a call of ours: of a list of ours refusals are thrown as those of that call. */
export function entriesOf(rows, thrown) {
  const entries = ours.get(rows);
  return entries === undefined ? rows : placedEntries(entries, thrown);
}

async function* placedEntries(entries, thrown) {
  try {
    for await (const entry of entries) yield entry;
  } catch (refusal) {
    thrown(refusal);
  }
}

/** What an async generator gives, for a script to go through. */
export function listed(entries) {
  const list = {
    next: placed(() => entries.next()),
    return: placed((value) => entries.return(value)),
    [Symbol.asyncIterator]: () => list,
    toArray: placed(async () => {
      const found = [];
      for await (const entry of entries) found.push(entry);
      return found;
    }),
  };
  ours.set(list, entries);
  return list;
}

/** All entries of a list, which is asked for a page when the script comes to it; for smaller ones when they weigh too much. */
export function listOf(request, path, { query, pageSize = DEFAULT_PAGE, most }) {
  async function* entries() {
    let size = Math.max(1, Math.min(Math.trunc(pageSize) || DEFAULT_PAGE, most));
    for (let offset = 0; ;) {
      let page;
      try {
        ({ body: page } = await request('GET', path, { query: { ...query, _offset: offset, _pageSize: size } }));
      } catch (refusal) {
        if (size === 1 || refusal?.code !== 'too_large') throw refusal;
        size = Math.ceil(size / 4);
        continue;
      }
      yield* page._list;
      // Of a page that was cut short the answer says less.
      offset += page._pageSize;
      if (!(page._pageSize > 0) || offset >= page._total) return;
    }
  }
  return listed(entries());
}

/** Sends entries some at a time: fewer where they weigh too much together. Gives what was answered to each part. */
export async function inParts(entries, send, most = 1_000) {
  const answers = [];
  let size = most;
  for (let from = 0; from < entries.length;) {
    const part = entries.slice(from, from + size);
    try {
      answers.push(await send(part));
      from += part.length;
    } catch (refusal) {
      if (part.length === 1 || refusal?.code !== 'too_large') throw refusal;
      size = Math.ceil(part.length / 4);
    }
  }
  return answers;
}
