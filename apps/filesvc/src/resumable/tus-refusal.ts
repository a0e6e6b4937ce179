import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorCode, ServiceError } from '@twinyard/conventions';

/** What `@tus/server` refuses with, in this platform's codes. It answers 403 to a missing header, which is bad input here. */
const CODES: Readonly<Record<number, ErrorCode>> = { 403: 'invalid', 404: 'not_found', 409: 'conflict', 410: 'not_found', 412: 'precondition_failed', 413: 'too_large', 415: 'unsupported_media_type' };

export const TUS_VERSION = '1.0.0';
export const OFFSET_STREAM = 'application/offset+octet-stream';

/** What `@tus/server` answers 400 to, and the protocol 412 and 415 (tus 1.0.0, "Headers" and "PATCH"). */
export function requireVersion(headers: IncomingHttpHeaders): void {
  if ((headers['tus-resumable'] ?? TUS_VERSION) !== TUS_VERSION) throw new ServiceError('precondition_failed', `Tus-Resumable: only ${TUS_VERSION} is spoken here`);
}

/** However it is written: what is behind a semicolon says nothing of bytes. */
export const isOffsetStream = (contentType = ''): boolean => contentType.split(';')[0]?.trim().toLowerCase() === OFFSET_STREAM;

/** Of bytes: what is empty needs no type. */
export function requireOffsetStream(headers: IncomingHttpHeaders): void {
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (!isEmpty && !isOffsetStream(headers['content-type'])) throw new ServiceError('unsupported_media_type', `content-type: must be ${OFFSET_STREAM}`);
}

/** An answer of the protocol that is an error, as services answer errors. */
export async function refusalOf(response: Response): Promise<ServiceError> {
  const text = (await response.text()).trim();
  return new ServiceError(CODES[response.status] ?? (response.status < 500 ? 'invalid' : 'internal'), text === '' ? 'The upload was refused' : text);
}
