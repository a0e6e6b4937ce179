import type { Refusal } from '@twinyard/previews';

/** A picture of a version: it never changes. */
export interface Preview {
  readonly id: string;
  readonly versionId: string;
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
  readonly blobKey: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  readonly createdAt: Date;
}

/** A version whose picture is to be made, by whoever holds it now. */
export interface PreviewTask {
  readonly versionId: string;
  /** With this one. */
  readonly attempts: number;
  readonly userId: string;
  readonly requestId: string;
}

/** Who draws, and for how long nobody else does. */
export interface PreviewLease {
  readonly owner: string;
  readonly seconds: number;
}

/** How a task ends: with a picture, as broken, or because there are no pictures of such files. */
export type PreviewEnd = { readonly state: 'DONE' | 'NONE' } | { readonly state: 'FAILED'; readonly failure: Refusal | 'was tried too often' };
