const MAX_BYTES = 255;
/** Separators, control characters, and those that turn the direction of what follows: `plan<U+202E>fdp.exe` looks like `planexe.pdf`. */
const FORBIDDEN = /[/\\\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** The form in which names are stored and compared. */
export const normaliseName = (name: string) => name.normalize('NFC');

/** What is wrong with a name; nothing when it is good. */
export function faultOfName(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  const name = normaliseName(value);
  if (name.trim() === '') return 'must not be empty';
  if (name === '.' || name === '..') return 'must not be . or ..';
  if (!name.isWellFormed() || FORBIDDEN.test(name)) return 'must not hold a separator or a control character';
  if (Buffer.byteLength(name) > MAX_BYTES) return `must not be longer than ${MAX_BYTES} bytes`;
  return undefined;
}

/** In small letters, without the dot; empty when there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}
