import { type QueryValues, textParameter } from '@twinyard/conventions';

/** Which upload a request means. */
export interface UploadCall {
  readonly fileId: string;
  readonly checksum: string | undefined;
}

export const isResumable = (query: QueryValues) => textParameter(query, 'uploadType') === 'resumable';
export const uploadCall = (fileId: string, query: QueryValues): UploadCall => ({ fileId, checksum: textParameter(query, 'checksum') });
