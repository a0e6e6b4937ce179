/** The records of a STEP file (ISO 10303-21), each argument as it is written. */
export interface StepRecord {
  /** In capitals. */
  readonly type: string;
  readonly args: readonly string[];
}

const RECORD = /^\s*#(\d+)\s*=\s*([A-Z0-9_]+)\s*\(([\s\S]*)\)\s*$/i;
const PIECES = /'(?:[^']|'')*'|\/\*[\s\S]*?\*\/|[;,()]|[^';,()/]+|\//g;

export function readStep(text: string): Map<number, StepRecord> {
  const records = new Map<number, StepRecord>();
  for (const statement of statements(text)) {
    const [, id, type, args] = RECORD.exec(statement) ?? [];
    if (id === undefined || type === undefined || args === undefined) continue;
    if (records.has(Number(id))) throw new Error(`#${id} is there twice`);
    records.set(Number(id), { type: type.toUpperCase(), args: splitArguments(args) });
  }
  return records;
}

function* statements(text: string): Generator<string> {
  let statement = '';
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece === ';') {
      yield statement;
      statement = '';
    } else if (!piece.startsWith('/*')) statement += piece;
  }
}

function splitArguments(text: string): string[] {
  const found = [''];
  let depth = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece === '(') depth += 1;
    if (piece === ')') depth -= 1;
    if (piece === ',' && depth === 0) found.push('');
    else found.push((found.pop() ?? '') + piece);
  }
  return found.map((argument) => argument.trim());
}

/** The text of a string argument; `undefined` for any other. */
export function textOf(argument: string | undefined): string | undefined {
  if (!argument?.startsWith("'")) return undefined;
  return argument
    .slice(1, -1)
    .replaceAll("''", "'")
    .replace(/\\X2\\([0-9A-F]+)\\X0\\/g, (_, hex: string) => String.fromCharCode(...(hex.match(/.{4}/g) ?? []).map((code) => Number.parseInt(code, 16))))
    .replace(/\\S\\(.)/g, (_, character: string) => String.fromCharCode(character.charCodeAt(0) + 0x80));
}

/** The entities that an argument outside strings points to. */
export const refsOf = (argument: string | undefined): number[] =>
  [...(argument ?? '').replace(/'(?:[^']|'')*'/g, '').matchAll(/#(\d+)/g)].map(([, id]) => Number(id));

export const refOf = (argument: string | undefined): number | undefined => refsOf(argument)[0];
