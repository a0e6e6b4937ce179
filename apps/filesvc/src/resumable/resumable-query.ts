import type { IncomingHttpHeaders } from 'node:http';
import { type QueryValues, textParameter } from '@twinyard/conventions';
import { requireVersion } from './tus-refusal';

/** Which upload a request means. */
export interface UploadCall {
  readonly fileId: string;
  readonly checksum: string | undefined;
}

export const isResumable = (query: QueryValues) => textParameter(query, 'uploadType') === 'resumable';

/** @throws ServiceError 412 when another tus is spoken */
export function uploadCall(fileId: string, query: QueryValues, headers: IncomingHttpHeaders): UploadCall {
  requireVersion(headers);
  return { fileId, checksum: textParameter(query, 'checksum') };
}
