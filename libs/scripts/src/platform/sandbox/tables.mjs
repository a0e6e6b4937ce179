// `libraries.csv` and `libraries.xlsx`: rows of files. The files stay with the host; rows come from it and go to it some at a time.
import { entriesOf, listed, placed, thrownHere } from './calls.mjs';

const { parse, stringify } = JSON;
/** What is sent at once. */
const [MOST_ROWS, MOST_CHARACTERS] = [1_000, 500_000];

export const csvOf = (ask) => Object.freeze({
  ...tablesOf(ask, 'csv'),
  parse: placed(async (text, options) => parse((await ask('parseTable', { text, options })).json)),
  stringify: (rows, options) => formatted(ask, rows, { options, thrown: thrownHere() }),
});

export const xlsxOf = (ask) => Object.freeze(tablesOf(ask, 'xlsx'));

function tablesOf(ask, format) {
  let closing = Promise.resolve();
  const rows = (fileId, options) => {
    const entries = rowsOf(ask, { format, fileId, options }, () => closing);
    return listed({
      next: () => entries.next(),
      // The engine does not wait for it where a loop is left by break: what is opened next does.
      return: (value) => {
        const ended = entries.return(value);
        closing = Promise.allSettled([closing, ended]);
        return ended;
      },
      [Symbol.asyncIterator]: () => entries,
    });
  };
  return { rows, write: (name, all, options) => written(ask, all, { target: { format, name, options }, thrown: thrownHere() }) };
}

async function* rowsOf(ask, source, closedBefore) {
  await closedBefore();
  const { id } = await ask('openTable', source);
  try {
    for (;;) {
      const { json } = await ask('readTable', { id });
      if (json === undefined) return;
      for (const row of parse(json)) yield row;
    }
  } finally {
    await closed(ask, id);
  }
}

/** What the rows themselves throw says by itself where: they may be code of the script's. */
async function written(ask, rows, { target, thrown }) {
  const parts = partsOf(requireRows(rows, thrown), MOST_ROWS, MOST_CHARACTERS);
  const { id } = await ask('createTable', target).catch(thrown);
  try {
    for await (const json of parts) await ask('writeTable', { id, json }).catch(thrown);
    return await ask('finishTable', { id }).catch(thrown);
  } finally {
    await closed(ask, id);
  }
}

async function formatted(ask, rows, { options, thrown }) {
  const all = [];
  for await (const json of partsOf(requireRows(rows, thrown), Infinity, Infinity)) all.push(json);
  const [json = '[]'] = all;
  return (await ask('formatTable', { json, options }).catch(thrown)).text;
}

function requireRows(rows, thrown) {
  const isThere = typeof rows?.[Symbol.asyncIterator] === 'function' || typeof rows?.[Symbol.iterator] === 'function';
  if (!isThere || typeof rows === 'string') thrown(new TypeError('Rows are an array, or an iterator, of objects or arrays'));
  return entriesOf(rows, thrown);
}

/** JSON of arrays of rows. */
async function* partsOf(rows, mostRows, mostCharacters) {
  let [texts, length] = [[], 0];
  for await (const row of rows) {
    const text = stringify(row) ?? 'null';
    if (texts.length === mostRows || (texts.length > 0 && length + text.length > mostCharacters)) {
      yield `[${texts.join(',')}]`;
      [texts, length] = [[], 0];
    }
    texts.push(text);
    length += text.length;
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`;
}

/** Nothing where it was closed before; and whatever a script leaves open is closed when it ends. */
const closed = (ask, id) => ask('closeTable', { id }).catch(() => undefined);
