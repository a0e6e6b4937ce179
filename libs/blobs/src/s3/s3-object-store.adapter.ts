import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ObjectNotFound } from '../port/object-errors';
import { requireObjectKey } from '../port/object-key';
import { ObjectMeter } from '../port/object-meter';
import { type ByteRange, type ObjectDigest, type ObjectStat, ObjectStore, type PresignedAnswer, type PutExpectations } from '../port/object-store';
import type { PartialObject, PartialTarget } from '../port/partial-object';
import { bodyOf } from './answer-body';
import { S3Client } from './s3-client.adapter';
import { isMissing, isMissingUpload } from './s3-errors';
import type { S3Options } from './s3-options';
import { S3PartialObject, TAILS, unless } from './s3-partial';
import { partSizeFor, S3Upload } from './s3-upload';

/**
 * Before every key, with two uses: what else is in the bucket is neither listed nor swept; and the client takes text of a list that
 * looks like a number for one (`007` comes back as `7`), which a name with a `/` never does.
 */
const PREFIX = 'objects/';
const PAGE_SIZE = 1_000;
/** Whoever asks whether a service is ready does not wait long. */
const CHECK_PATIENCE_MS = 2_000;

/**
 * Objects in one bucket of an S3, under `objects/<key>`. `check` makes the bucket. A put that was cut off by a
 * crash leaves a multipart upload that was never completed, which `sweep` removes.
 */
export class S3ObjectStore extends ObjectStore {
  private readonly client: S3Client;
  private readonly probe: S3Client;
  /** Signs only; never speaks to its endpoint. */
  private readonly signer: S3Client;

  constructor(options: S3Options) {
    super();
    this.client = new S3Client(options);
    this.probe = new S3Client({ ...options, patienceMs: Math.min(options.patienceMs ?? CHECK_PATIENCE_MS, CHECK_PATIENCE_MS) });
    this.signer = new S3Client({ ...options, endpoint: options.publicEndpoint ?? options.endpoint });
  }

  override async put(key: string, body: Readable, expected: PutExpectations = {}): Promise<ObjectDigest> {
    const upload = new S3Upload(this.client, nameOf(key), partSizeFor(expected));
    const meter = new ObjectMeter(expected);
    try {
      await pipeline(body, meter, (bytes: AsyncIterable<Buffer>) => upload.write(bytes));
      return meter.digest;
    } catch (error) {
      await upload.abort();
      throw upload.fault ?? error;
    }
  }

  override append(target: PartialTarget, from: PartialObject, body: AsyncIterable<Buffer>): AsyncIterable<PartialObject> {
    return this.partial(target).append(from, body);
  }

  override async complete(target: PartialTarget, received: PartialObject): Promise<void> {
    await this.partial(target).complete(received);
  }

  override async abandon(target: PartialTarget, received: PartialObject): Promise<void> {
    await this.partial(target).abandon(received);
  }

  override async get(key: string, range?: ByteRange): Promise<Readable> {
    const name = nameOf(key);
    const [offset, length] = range === undefined ? [0, 0] : [range.first, range.last - range.first + 1];
    const answer = await unless(isMissing, this.client.call((driver, bucket) => driver.getPartialObject(bucket, name, offset, length)));
    if (answer === undefined) throw new ObjectNotFound(key);
    return bodyOf(answer);
  }

  override async stat(key: string): Promise<ObjectStat | undefined> {
    const name = nameOf(key);
    const found = await unless(isMissing, this.client.call((driver, bucket) => driver.statObject(bucket, name)));
    return found && { key, size: found.size, modifiedAt: found.lastModified };
  }

  override async delete(key: string): Promise<void> {
    const name = nameOf(key);
    await unless(isMissing, this.client.call((driver, bucket) => driver.removeObject(bucket, name)));
  }

  override async *list(prefix = ''): AsyncGenerator<ObjectStat> {
    for await (const { name, ...stat } of this.listNames(PREFIX + prefix)) yield { key: name.slice(PREFIX.length), ...stat };
  }

  override async sweep(before: Date): Promise<number> {
    let removed = 0;
    for await (const { name, modifiedAt } of this.listNames(TAILS)) {
      if (modifiedAt >= before) continue;
      await unless(isMissing, this.client.call((driver, bucket) => driver.removeObject(bucket, name)));
      removed += 1;
    }
    for await (const upload of this.client.incompleteUploads()) {
      if (!upload.key.startsWith(PREFIX) || upload.initiated >= before) continue;
      const lastPartAt = await unless(isMissingUpload, this.client.call((driver, bucket) => driver.lastPartAt(bucket, upload)));
      if (lastPartAt !== undefined && lastPartAt >= before) continue;
      // One that has just been completed, or that another replica swept, is none of ours.
      const isRemoved = await unless(isMissingUpload, this.client.abortUpload(upload.key, upload.uploadId).then(() => true));
      if (isRemoved === true) removed += 1;
    }
    return removed;
  }

  override async check(): Promise<void> {
    await this.probe.requireBucket();
  }

  override async presignedGet(key: string, answer: PresignedAnswer, ttlSeconds: number): Promise<URL> {
    const name = nameOf(key);
    const headers = {
      'response-content-type': answer.contentType,
      'response-content-disposition': answer.contentDisposition,
      'response-cache-control': answer.cacheControl ?? 'private, no-cache',
      ...(answer.contentEncoding !== undefined && { 'response-content-encoding': answer.contentEncoding }),
    };
    return new URL(await this.signer.call((driver, bucket) => driver.presignedGetObject(bucket, name, ttlSeconds, headers)));
  }

  private partial(target: PartialTarget): S3PartialObject {
    return new S3PartialObject(this.client, nameOf(target.key), target);
  }

  private async *listNames(prefix: string): AsyncGenerator<{ readonly name: string; readonly size: number; readonly modifiedAt: Date }> {
    let token = '';
    do {
      const page = await this.client.call((driver, bucket) => driver.listObjectsV2Query(bucket, prefix, token, '', PAGE_SIZE, ''));
      for (const { name, size, lastModified } of page.objects) {
        if (name !== undefined && lastModified !== undefined) yield { name, size, modifiedAt: lastModified };
      }
      token = page.isTruncated ? page.nextContinuationToken : '';
    } while (token !== '');
  }
}

const nameOf = (key: string) => PREFIX + requireObjectKey(key);
