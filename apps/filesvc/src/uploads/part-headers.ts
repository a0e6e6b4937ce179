import { nameFromBytes } from '@twinyard/conventions';
import { parse } from 'content-disposition';
import { withReadableName } from './extended-name';

/** Of bytes of which nobody says what they are. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** As the parser gives them: names in small letters, values as Latin-1 text of the bytes that came. */
export type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>;

export interface PartDescription {
  /** Name of the form field. */
  readonly field?: string;
  readonly fileName?: string;
  readonly contentType?: string;
  /** `null`: the part says that it has none, whatever the request says. */
  readonly contentEncoding?: string | null;
}

const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w!#$&^.+-]+=("[^"\r\n\\]*"|[\w!#$&^.+'-]+))*$/;
const ENCODINGS = /^[a-z0-9-]+(\s*,\s*[a-z0-9-]+)*$/;
const MAX_LENGTH = 255;
/** One before a quote or another is an escape; any other is part of a path that a form of Windows has sent as it is. */
const BACKSLASH = /\\["\\]?/g;

export function describePart(headers: PartHeaders): PartDescription {
  const type = headers['content-type']?.[0]?.trim();
  const encoding = toContentEncoding(headers['content-encoding']?.[0]);
  return {
    ...parseDisposition(headers['content-disposition']?.[0]),
    ...(type !== undefined && type.length <= MAX_LENGTH && TYPE.test(type) && { contentType: type }),
    ...(encoding !== undefined && { contentEncoding: encoding }),
  };
}

/** What is kept for later downloads; `null` is `identity`, and what is no encoding at all says nothing. */
export function toContentEncoding(value: string | undefined): string | null | undefined {
  const encoding = value?.trim().toLowerCase();
  if (encoding === 'identity') return null;
  return encoding !== undefined && encoding.length <= MAX_LENGTH && ENCODINGS.test(encoding) ? encoding : undefined;
}

function parseDisposition(sent: string | undefined): Pick<PartDescription, 'field' | 'fileName'> {
  if (sent === undefined) return {};
  const { header, isExtended } = withReadableName(sent);
  const { name, filename } = parametersOf(header);
  return {
    ...(name !== undefined && { field: fromBytes(name) }),
    ...(filename !== undefined && { fileName: isExtended ? filename : lastSegment(unescape(fromBytes(filename))) }),
  };
}

function parametersOf(header: string): Readonly<Record<string, string>> {
  try {
    return parse(header.replace(BACKSLASH, (found) => (found.length > 1 ? found : '\\\\'))).parameters;
  } catch {
    return {};
  }
}

/** HTML 5 forms send names as UTF-8 bytes, older programs in Windows-1252. */
const fromBytes = (text: string) => nameFromBytes(Buffer.from(text, 'latin1'));

/** "replace every occurrence of … U+0022 by `%22`, … CR by `%0D` and LF by `%0A`" (HTML, multipart/form-data encoding algorithm). */
const unescape = (name: string) => name.replace(/%22/g, '"');

/** Some clients send the whole path; RFC 7578, 4.2: do not use it. */
const lastSegment = (name: string) => name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
