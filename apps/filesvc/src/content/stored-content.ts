import type { VersionOfFile } from '../versions/versions.repository';

/** Bytes in the store, and what is told of them to whoever downloads them. */
export interface StoredContent {
  readonly blobKey: string;
  /** Bytes as stored. */
  readonly size: number;
  /** Hex, of the bytes as stored. */
  readonly sha256: string;
  readonly name: string;
  /** As declared. */
  readonly contentType: string;
  /** What its bytes say, where that is known. */
  readonly detectedContentType?: string | null;
  /** `Content-Encoding` of the bytes as stored; `null` when there is none. */
  readonly contentEncoding: string | null;
  readonly createdAt: Date;
}

export function contentOf({ file, version }: VersionOfFile): StoredContent {
  const { blobKey, size, sha256, contentType, detectedContentType, contentEncoding, createdAt } = version;
  return { blobKey, size, sha256, name: file.name, contentType, detectedContentType, contentEncoding, createdAt };
}
