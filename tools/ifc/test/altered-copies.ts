import fc from 'fast-check';

/** What a change does to the text of a file; the place is a number below 1. */
type Change = (text: string, place: number, pick: number) => string;

const TOKENS = ['.5', 'nan', '-nan(ind)', '1.#INF', '1.52.3', '1E5', '$', '*', '()', "''", "'x'", '#1', '#99999999', '#4294967316', '.T.', '.t.', '9007199254740993', '"0AF"', 'IFCLABEL(\'x\')', '', '&'];
const ESCAPES = ["\\S\\'", '\\S\\i', '\\X\\E9', '\\X2\\00E900DF\\X0\\', '\\X4\\0001F600\\X0\\', '\\PE\\\\S\\8', '\\\\', '\\', '\\X2\\00', "''", "'", '\n', 'é', '/*', '*/', ');', '#1='];
const NAMES = ['IfcWall', 'ifcwall', 'IFCNOSUCHTHING', 'IFCWALL', 'IFCDOOR', 'IFC', ''];
const CHARACTERS = ["'", '(', ')', ',', ';', '#', '=', '.', '$', '\\', ' ', 'x', '\r', ''];

/** The changed text, its `count` matches of the pattern being places. */
function at(pattern: RegExp, replace: (found: string, pick: number) => string): Change {
  return (text, place, pick) => {
    const found = [...text.matchAll(pattern)];
    const one = found[Math.floor(place * found.length)];
    return one === undefined ? text : text.slice(0, one.index) + replace(one[0], pick) + text.slice(one.index + one[0].length);
  };
}

const of = (values: readonly string[], pick: number) => values[Math.floor(pick * values.length)] as string;

const ENTITY = /^#\d+\s*=.*;/gm;
const CHANGES: readonly Change[] = [
  at(/(?<=[(,])(?:[-+]?\d[\d.E+-]*|'(?:[^']|'')*'|#\d+|\.\w+\.|\$)(?=[,)])/g, (_, pick) => of(TOKENS, pick)),
  at(/(?<=')[^'\n]*(?=')/g, (text, pick) => text.slice(0, text.length / 2) + of(ESCAPES, pick) + text.slice(text.length / 2)),
  at(/(?<==\s*)IFC[A-Z0-9]+(?=\()/g, (_, pick) => of(NAMES, pick)),
  at(ENTITY, (entity, pick) => (pick < 0.5 ? '' : `${entity}\n${entity}`)),
  at(ENTITY, (entity, pick) => entity.replace(/^#\d+/, pick < 0.5 ? '#4294967316' : '#1')),
  at(ENTITY, (entity, pick) => { const middle = 1 + Math.floor(pick * (entity.length - 1)); return entity.slice(0, middle) + of(CHARACTERS, (pick * 7) % 1) + entity.slice(middle + 1); }),
  (text, _, pick) => text.replaceAll('\n', pick < 0.5 ? '\r' : '\r\n'),
  at(/\n/g, (_, pick) => of(['', '\r', '\r\n', '\n\n', '\n/* between */\n', ' '], pick)),
];

/** Copies of a text, each with one change somewhere; the same ones each time. */
export function alteredCopies(text: string, count: number): string[] {
  const number = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const changes = fc.sample(fc.tuple(fc.nat(CHANGES.length - 1), number.map(spread), number.map(spread)), { seed: 28, numRuns: count });
  return changes.map(([kind, place, pick]) => (CHANGES[kind] as Change)(text, place, pick));
}

/** Numbers of fast-check crowd at both ends. */
const spread = (value: number) => (value * 9_973) % 1;
