import { findInexactNumber, invalid } from '@twinyard/conventions';

/** What a body is for the steps behind: JSON as a value, anything else as a text. */
export interface AnswerBody {
  readonly value: unknown;
  /** For the log: what is not as the other side has it. */
  readonly remark?: string;
}

const MOST_LEVELS = 100;

/** `type`: the content type, empty where there is none. @throws ServiceError `invalid` */
export function parseBody(bytes: Buffer, type: string, host: string): AnswerBody {
  if (bytes.length === 0) return { value: null };
  const text = textOf(bytes, type, host);
  const body = /^(?:$|[^;]*[/+]json\s*(?:;|$))/i.test(type) ? parseJson(text, type, host) : { value: text };
  requireKept(body.value, host);
  return body;
}

/** Without a content type it may be JSON. */
function parseJson(text: string, type: string, host: string): AnswerBody {
  try {
    const value = JSON.parse(text) as unknown;
    const inexact = findInexactNumber(text);
    return { value, ...(inexact && { remark: `The answer of ${host} has a number that cannot be kept as it is, ${inexact.number.slice(0, 40)} at ${inexact.path.slice(0, 200)}` }) };
  } catch {
    return { value: text, ...(type !== '' && { remark: `The answer of ${host} is said to be JSON and is not: it is taken as a text` }) };
  }
}

/** By the charset that its type names, UTF-8 without. */
function textOf(bytes: Buffer, type: string, host: string): string {
  const charset = /;\s*charset\s*=\s*"?([\w:.+-]{1,40})/i.exec(type)?.[1] ?? 'utf-8';
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    // In two calls: asked for a whole text, Node 20 takes ISO 8859-1 for Windows-1252.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    throw invalid(`The answer of ${host} is no text in ${charset}`);
  }
}

/** Results are kept in PostgreSQL. */
const isKept = (text: string) => !text.includes('\0') && text.isWellFormed();

function requireKept(value: unknown, host: string, level = 0): void {
  if (typeof value === 'string' && !isKept(value)) throw invalid(`The answer of ${host} holds a NUL character or half a surrogate pair`);
  if (value === null || typeof value !== 'object') return;
  if (level > MOST_LEVELS) throw invalid(`The answer of ${host} is nested more than ${MOST_LEVELS} levels deep`);
  const isList = Array.isArray(value);
  if (!isList) requireKept(Object.keys(value), host, level + 1);
  for (const entry of isList ? (value as unknown[]) : Object.values(value)) requireKept(entry, host, level + 1);
}

/** For a message: what the other side says, where it is a text. `hide` takes out what nobody is to read, before the end is cut off. */
export function excerptOf(bytes: Buffer | undefined, hide: (text: string) => string): string {
  const text = bytes?.toString().replace(/\s+/g, ' ').trim() ?? '';
  return text === '' || /[\p{C}\ufffd]/u.test(text) ? '' : `: ${hide(text).slice(0, 300)}`;
}
