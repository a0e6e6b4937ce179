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
