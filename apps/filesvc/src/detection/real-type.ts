import type { FileVersionEntity } from '../versions/file-version.entity';

/** What a version is to be handled as: what its bytes say, else what it was declared to be. Without parameters, in small letters. */
export function realTypeOf({ detectedContentType, contentType }: Pick<FileVersionEntity, 'detectedContentType' | 'contentType'>): string {
  return (detectedContentType ?? contentType).split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
