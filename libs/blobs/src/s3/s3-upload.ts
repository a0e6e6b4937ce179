import { unavailable } from '@twinyard/conventions';
import { ObjectTooLarge } from '../port/object-errors';
import type { PutExpectations } from '../port/object-store';
import { inParts } from './parts';
import type { S3Client } from './s3-client.adapter';
import { isSwept } from './s3-errors';

const MEBIBYTE = 1024 ** 2;
/** "Part size: 5 MiB to 5 GiB. There is no minimum size limit on the last part" (Amazon S3 multipart upload limits). */
const MIN_PART_SIZE = 5 * MEBIBYTE;
const MAX_PARTS = 10_000;

/** All parts but the last have one size (some stores insist on it), the least that lets what may come fit into the parts there are. */
export function partSizeFor({ size, maxSize }: PutExpectations): number {
  const most = size ?? maxSize ?? 0;
  return Math.max(MIN_PART_SIZE, Math.ceil(most / MAX_PARTS / MEBIBYTE) * MEBIBYTE);
}

/**
 * One put. What fits into a part is stored by one request, and only once all of it has come and was found right; the rest by a
 * multipart upload, which shows nothing until it is completed. While a part is on its way the next one is gathered: memory holds
 * about three of them.
 */
export class S3Upload {
  private uploadId: string | undefined;
  private readonly etags: string[] = [];
  private writing: Promise<void> = Promise.resolve();
  private sending: Promise<void> = Promise.resolve();
  private firstFault: unknown;

  constructor(
    private readonly client: S3Client,
    private readonly key: string,
    private readonly partSize: number,
  ) {}

  /** Stores all of `source`, which ends with an error when its bytes are not what they should be. */
  write(source: AsyncIterable<Buffer>): Promise<void> {
    this.writing = this.writeAll(source);
    return this.writing;
  }

  /** What the store did wrong, if it was the store. A pipeline may hide it: a source that is left early ends with an error of its own. */
  get fault(): unknown {
    return this.firstFault;
  }

  /** After a failure of `source` or of `write`. What cannot be removed now, since the store is away, is left to the sweep. */
  async abort(): Promise<void> {
    // A source that breaks is told to others before it is told here; an upload that begins, or a part that arrives, after the abort would stay.
    await this.writing.catch(ignore);
    await this.sending.catch(ignore);
    if (this.uploadId !== undefined) await this.client.abortUpload(this.key, this.uploadId).catch(ignore);
  }

  private async writeAll(source: AsyncIterable<Buffer>): Promise<void> {
    let first: Buffer | undefined;
    for await (const part of inParts(source, this.partSize)) {
      if (this.uploadId === undefined && first === undefined) {
        first = part;
        continue;
      }
      if (first !== undefined) await this.begin(first);
      first = undefined;
      await this.send(part);
    }
    if (this.uploadId === undefined) return this.storeWhole(first ?? Buffer.alloc(0));
    await this.complete(this.uploadId);
  }

  private async storeWhole(bytes: Buffer): Promise<void> {
    await this.watch(this.client.call((driver, bucket) => driver.putObject(bucket, this.key, bytes, bytes.length)));
  }

  private async begin(first: Buffer): Promise<void> {
    this.uploadId = await this.watch(this.client.call((driver, bucket) => driver.initiateNewMultipartUpload(bucket, this.key, {})));
    await this.send(first);
  }

  /** Resolves when the part before has arrived; the failure of this one is told by the next call. */
  private async send(part: Buffer): Promise<void> {
    await this.sending;
    const number = this.etags.push('');
    if (number > MAX_PARTS) return this.watch(Promise.reject(new ObjectTooLarge(MAX_PARTS * this.partSize)));
    const etag = this.watch(this.client.uploadPart(this.key, this.uploadId ?? '', number, part));
    this.sending = etag.then((tag) => { this.etags[number - 1] = tag; });
    this.sending.catch(ignore);
  }

  private async complete(uploadId: string): Promise<void> {
    await this.sending;
    const parts = this.etags.map((etag, index) => ({ part: index + 1, etag }));
    await this.watch(this.client.call((driver, bucket) => driver.completeMultipartUpload(bucket, this.key, uploadId, parts)));
  }

  private watch<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error: unknown) => {
      // Another replica's sweep took it for the leftover of a crash.
      const fault = isSwept(error) ? unavailable('The upload took too long; send it again', error) : error;
      this.firstFault ??= fault;
      throw fault;
    });
  }
}

const ignore = (): void => undefined;
