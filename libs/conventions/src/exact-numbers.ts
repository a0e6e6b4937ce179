import { type FieldIssue, ServiceError } from './errors';

/**
 * Numbers that a double may not keep: sixteen digits before the dot, sixteen and an exponent, an exponent beyond 9 or below -99, or three
 * hundred zeros behind the dot. Of objects and lists in JSON, if it finds none there is none; what it finds may stand in a string.
 */
export const LARGE_NUMBER = /[:,[\s]-?\d(?:[\d.]*[eE](?:\+?\d\d|-\d{3}|(?<=[\d.]{16}[eE]))|\d{15}|\.0{300})/;

/** To look for the beginning of the text in the same pattern would take twice the time. */
const BARE_NUMBER = /^-?\d/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39];
/** What one number takes at least that a double may not keep: `1e16`. */
const FEWEST = 4;
const NUMBER = /-?\d[\d.eE+-]*/y;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** From here on doubles are further apart than integers. */
const FIRST_GAP = 2 ** 53;
/** Characters of a number and of a path that an answer shows. */
const SHOWN = { number: 40, path: 1_000 } as const;

const shorten = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);

/** `at`: what holds the text; without it the field is empty where the number is all of the text. */
export const inexactFault = ({ number, path }: InexactNumber, at = ''): FieldIssue => ({
  field: `${at}${path}`.replace(/^\./, ''), issue: `${shorten(number, SHOWN.number)} is a number that cannot be kept as it is; send it as a text`,
});

/**
 * Contract 0.1: a number in a text of JSON that would not come back as it was sent is 400 `inexact_number`. `at`: the parameter that holds the text; else it
 * is the body, or a list of some of its entries, `before` which others came.
 */
export function refuseInexactNumbers(json: string, { at = '', before = 0 }: { readonly at?: string; readonly before?: number } = {}): void {
  const found = findInexactNumber(json);
  if (found === undefined) return;
  const path = found.path.replace(/^\[(\d+)\]/, (_, entry: string) => `[${before + Number(entry)}]`);
  const { field, issue } = inexactFault({ ...found, path }, at);
  const named = field || 'body';
  throw new ServiceError('inexact_number', `${named}: ${issue}`, { details: [{ field: named, issue }] });
}

export interface InexactNumber {
  /** As it is written. */
  readonly number: string;
  /** `[0].serial`. */
  readonly path: string;
}

/** The first number of a text that is JSON which a double does not keep. */
export function findInexactNumber(json: string): InexactNumber | undefined {
  if (!LARGE_NUMBER.test(json) && !BARE_NUMBER.test(json)) return undefined;
  const place = inexactAt(json);
  return place === undefined ? undefined : { number: numberAt(json, place), path: pathTo(json, place) };
}

function inexactAt(json: string): number | undefined {
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at);
    else if (beginsNumber(code)) {
      const number = numberAt(json, at);
      if (number.length >= FEWEST && !isKept(number)) return at;
      at += number.length - 1;
    }
  }
  return undefined;
}

const beginsNumber = (code: number) => code === MINUS || (code >= ZERO && code <= NINE);

function numberAt(json: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(json)?.[0] ?? '-';
}

/** The quote that ends the string which begins at `begin`. */
function stringEnd(json: string, begin: number): number {
  let end = json.indexOf('"', begin + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, quote: number): boolean {
  let first = quote;
  while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

/**
 * Whether a number is a double: one below 2^53, whose decimals are rounded as ever, or one above it that has the digits which the double has,
 * or which it is written with. The latter are what a client reads here and sends back.
 */
function isKept(number: string): boolean {
  const value = Number(number);
  if (Math.abs(value) < FIRST_GAP) return value !== 0 || !/^[^eE]*[1-9]/.test(number);
  if (!Number.isFinite(value)) return false;
  const wanted = digitsOf(number);
  return wanted === digitsOf(String(value)) || wanted === digitsOf(BigInt(value).toString());
}

/** Of numbers that are equal the same text. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = PARTS.exec(number) ?? [];
  const all = whole + fraction;
  let [begin, end] = [0, all.length];
  while (all[begin] === '0') begin += 1;
  while (all[end - 1] === '0') end -= 1;
  return `${sign}${all.slice(begin, end)}e${Number(exponent) - fraction.length + all.length - end}`;
}

/** Where a place in a text of JSON stands among its values. */
function pathTo(json: string, place: number): string {
  /** Of each list that is open the entry, of each object the name of the property, as it is written. */
  const steps: (number | string)[] = [];
  let text = '';
  for (let at = 0; at < place; at += 1) {
    const character = json.charAt(at);
    const last = steps.length - 1;
    const step = steps[last];
    if (character === '"') {
      const end = stringEnd(json, at);
      text = json.slice(at, end + 1);
      at = end;
    } else if (character === '[') steps.push(0);
    else if (character === '{') steps.push('""');
    else if (character === ']' || character === '}') steps.pop();
    else if (character === ':') steps[last] = text;
    else if (character === ',' && typeof step === 'number') steps[last] = step + 1;
  }
  return shorten(steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${JSON.parse(step) as string}`)).join(''), SHOWN.path);
}
