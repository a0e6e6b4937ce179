import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** Passport, file, run, AI and notification records (contract 0.3). */
export const newUuid = (): string => randomUUID();

const counter = { value: randomInt(0x1000000), process: randomBytes(5).toString('hex') };

/** Items, versions, related items, relations: 24 hex digits (ObjectId form): seconds, process, counter; ascending in one process. */
export function newObjectId(at: number = Date.now()): string {
  counter.value = (counter.value + 1) % 0x1000000;
  const seconds = Math.floor(at / 1000).toString(16).padStart(8, '0');
  return seconds + counter.process + counter.value.toString(16).padStart(6, '0');
}

export const isObjectId = (text: unknown): text is string => typeof text === 'string' && /^[0-9a-f]{24}$/.test(text);
export const isUuid = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);

const ALPHANUMERICS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const random = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** `<prefix>_<8 alphanumerics>`; of the short name only `[A-Za-z0-9]` is kept (contract 0.3). */
export const newNamespace = (shortName: string): string =>
  `${shortName.replace(/[^A-Za-z0-9]/g, '') || 'ns'}_${random(ALPHANUMERICS, 8)}`;

/** Lower-cased short name, `_`, 10 random alphanumerics (contract 2.1). */
export const newUserItemId = (shortName: string): string => `${shortName.toLowerCase()}_${random(LOWER, 10)}`;

/** `device` → `Device`, for the names of what is generated. */
export const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
