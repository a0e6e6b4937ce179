/** Where an S3 is and who asks. */
export interface S3Options {
  /** `http(s)://host[:port]`, as the service reaches it. */
  readonly endpoint: string;
  /** The same store as callers reach it; presigned addresses are signed for this host. `endpoint` by default. */
  readonly publicEndpoint?: string | undefined;
  readonly bucket: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** The bucket stands in the path (`host/bucket/key`), else before the host (`bucket.host/key`). */
  readonly pathStyle: boolean;
  /** How long the store may say nothing while something is expected of it. */
  readonly patienceMs?: number;
}
