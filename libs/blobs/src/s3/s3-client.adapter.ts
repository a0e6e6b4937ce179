import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'minio';
import { isBucketThere, toStorageError } from './s3-errors';
import type { S3Options } from './s3-options';
import { S3Transport } from './s3-transport';

const PATIENCE_MS = 30_000;
const MAX_TRIES = 3;
const BASE_DELAY_MS = 100;

/** Opens what the client keeps to its subclasses. Its class is made when there is a store to talk to: the driver is large, and required then (tools/swc-options.mjs). */
function driverWith(options: ConstructorParameters<typeof Client>[0]) {
  class Driver extends Client {
    async lastPartAt(bucket: string, { key, uploadId }: IncompleteUpload): Promise<Date | undefined> {
      const times = (await this.listParts(bucket, key, uploadId)).map(({ lastModified }) => lastModified?.getTime() ?? 0);
      return times.length === 0 ? undefined : new Date(Math.max(...times));
    }
  }
  return new Driver(options);
}

type Driver = ReturnType<typeof driverWith>;

export interface IncompleteUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly initiated: Date;
}

/**
 * The S3 client with limits on time, and with errors that tell a store that is away. Tries again what is worth it: payloads are
 * buffers, and every operation may be done twice.
 */
export class S3Client {
  readonly bucket: string;
  private readonly driver: Driver;
  private readonly transport: S3Transport;

  constructor(options: S3Options) {
    const { protocol, hostname, port } = new URL(options.endpoint);
    this.bucket = options.bucket;
    this.transport = new S3Transport(protocol === 'https:', options.patienceMs ?? PATIENCE_MS);
    this.driver = driverWith({
      endPoint: hostname.replace(/^\[|\]$/g, ''),
      ...(port !== '' && { port: Number(port) }),
      useSSL: protocol === 'https:',
      // Given, it is never asked for.
      region: options.region,
      accessKey: options.accessKey,
      secretKey: options.secretKey,
      pathStyle: options.pathStyle,
      transport: { request: this.transport.request.bind(this.transport) } as NonNullable<ConstructorParameters<typeof Client>[0]['transport']>,
      transportAgent: this.transport.agent,
      // Its own leaves the answers unread and writes to the console.
      retryOptions: { disableRetry: true },
    });
  }

  /** `operation` is told the client and the bucket. */
  async call<T>(operation: (driver: Driver, bucket: string) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await operation(this.driver, this.bucket);
      } catch (error) {
        const failure = this.transport.failureOf(error);
        if (tries === MAX_TRIES || failure === undefined || failure === 'lost') throw toStorageError(error, failure);
        if (failure === 'busy') await delay(BASE_DELAY_MS * 2 ** tries * (0.5 + Math.random()));
      }
    }
  }

  /** Rejects while the bucket cannot be reached; makes it when there is none. Several replicas may do this at once. */
  async requireBucket(): Promise<void> {
    if (await this.call((driver, bucket) => driver.bucketExists(bucket))) return;
    await this.call((driver, bucket) => driver.makeBucket(bucket, driver.region).catch(unlessThere));
    if (!(await this.call((driver, bucket) => driver.bucketExists(bucket)))) throw new Error(`the bucket ${this.bucket} is somebody else's`);
  }

  async uploadPart(key: string, uploadId: string, number: number, bytes: Buffer): Promise<string> {
    const part = { bucketName: this.bucket, objectName: key, uploadID: encodeURIComponent(uploadId), partNumber: number, headers: {} };
    return (await this.call((driver) => driver.uploadPart(part, bytes))).etag;
  }

  async abortUpload(key: string, uploadId: string): Promise<void> {
    await this.call((driver, bucket) => driver.abortMultipartUpload(bucket, key, encodeURIComponent(uploadId)));
  }

  /** Uploads that were begun and neither completed nor aborted. */
  async *incompleteUploads(): AsyncGenerator<IncompleteUpload> {
    let marker = '';
    for (;;) {
      const page = await this.call((driver, bucket) => driver.listIncompleteUploadsQuery(bucket, '', marker, '', ''));
      yield* page.uploads;
      if (!page.isTruncated || page.nextKeyMarker <= marker) return;
      marker = page.nextKeyMarker;
    }
  }
}

function unlessThere(error: unknown): void {
  if (!isBucketThere(error)) throw error;
}
