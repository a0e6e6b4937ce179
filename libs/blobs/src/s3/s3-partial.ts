import { buffer } from 'node:stream/consumers';
import { ObjectNotFound, ObjectTooLarge } from '../port/object-errors';
import type { PartialObject, PartialTarget } from '../port/partial-object';
import { ReceivedBody } from '../port/received-body';
import { inParts } from './parts';
import type { S3Client } from './s3-client.adapter';
import { isMissing, isMissingUpload } from './s3-errors';

/** Beside the objects, where no list of them looks. */
export const TAILS = 'tails/';

const MEBIBYTE = 1024 ** 2;
/** A part is what memory holds and what a crash costs the sender; no store takes one of under 5 MiB, but as the last. */
const PART_SIZE = 8 * MEBIBYTE;
/** Their tags are in the state, which is written down with each of them: a thousand, not the ten thousand that S3 takes. */
const MAX_PARTS = 1_000;

/** The parts of a multipart upload, and in an object of its own what is too short for one. */
interface S3Partial extends PartialObject {
  readonly uploadId?: string;
  readonly etags?: readonly string[];
  readonly tail?: string;
  /** The tail of the state before, which that one needs as long as this one is not written down. */
  readonly formerTail?: string;
}

const partSizeFor = (size: number) => Math.max(PART_SIZE, Math.ceil(size / MAX_PARTS / MEBIBYTE) * MEBIBYTE);

/** An object of an S3 that comes in pieces of any size. `name` is that of the object in the bucket. */
export class S3PartialObject {
  constructor(private readonly client: S3Client, private readonly name: string, private readonly target: PartialTarget) {}

  async *append(from: S3Partial, body: AsyncIterable<Buffer>): AsyncGenerator<S3Partial> {
    if (from.formerTail !== undefined) await this.removeTail(from.formerTail);
    const received = new ReceivedBody(body);
    const partSize = partSizeFor(this.target.size);
    const tail = await this.readTail(from);
    // The tail comes again, at the head of the first piece.
    const { tail: formerTail, formerTail: _gone, ...parts } = from;
    let state: S3Partial = { ...parts, ...(formerTail !== undefined && { formerTail }), offset: from.offset - tail.length };
    for await (const piece of inParts(behind(tail, received), partSize)) {
      if (state.offset + piece.length > this.target.size) throw new ObjectTooLarge(this.target.size);
      if (state.offset + piece.length === from.offset) break;
      state = piece.length === partSize ? await this.storePart(state, piece) : await this.storeTail(state, piece);
      yield state;
    }
    received.requireWhole();
  }

  async complete(received: S3Partial): Promise<void> {
    const tail = await this.readTail(received).catch(async (error: unknown) => {
      if (await this.isThere()) return undefined;
      throw error;
    });
    if (tail !== undefined) await this.assemble(received, tail);
    await this.removeTails(received);
  }

  async abandon(received: S3Partial): Promise<void> {
    const { uploadId } = received;
    if (uploadId !== undefined) await unless(isMissingUpload, this.client.abortUpload(this.name, uploadId));
    await this.removeTails(received);
  }

  private async assemble({ uploadId, etags = [] }: S3Partial, tail: Buffer): Promise<void> {
    if (uploadId === undefined) {
      await this.client.call((driver, bucket) => driver.putObject(bucket, this.name, tail, tail.length));
      return;
    }
    try {
      const last = tail.length === 0 ? [] : [await this.client.uploadPart(this.name, uploadId, etags.length + 1, tail)];
      const parts = [...etags, ...last].map((etag, index) => ({ part: index + 1, etag }));
      await this.client.call((driver, bucket) => driver.completeMultipartUpload(bucket, this.name, uploadId, parts));
    } catch (error) {
      // It was completed, and the answer was lost.
      if (!isMissingUpload(error) || !(await this.isThere())) throw error;
    }
  }

  private async storePart(state: S3Partial, bytes: Buffer): Promise<S3Partial> {
    const { etags = [] } = state;
    const uploadId = state.uploadId ?? (await this.client.call((driver, bucket) => driver.initiateNewMultipartUpload(bucket, this.name, {})));
    const etag = await this.client.uploadPart(this.name, uploadId, etags.length + 1, bytes);
    return { ...state, uploadId, etags: [...etags, etag], offset: state.offset + bytes.length };
  }

  private async storeTail(state: S3Partial, bytes: Buffer): Promise<S3Partial> {
    const offset = state.offset + bytes.length;
    // A name of its own for each: the state that is written down finds its tail also when this one is never written down.
    const tail = `${TAILS}${this.target.key}/${offset}`;
    await this.client.call((driver, bucket) => driver.putObject(bucket, tail, bytes, bytes.length));
    return { ...state, tail, offset };
  }

  private async readTail({ tail }: S3Partial): Promise<Buffer> {
    if (tail === undefined) return Buffer.alloc(0);
    const answer = await unless(isMissing, this.client.call((driver, bucket) => driver.getObject(bucket, tail)));
    if (answer === undefined) throw new ObjectNotFound(this.target.key);
    return buffer(answer);
  }

  private async removeTails({ tail, formerTail }: S3Partial): Promise<void> {
    for (const name of [tail, formerTail]) if (name !== undefined) await this.removeTail(name);
  }

  private async removeTail(tail: string): Promise<void> {
    await unless(isMissing, this.client.call((driver, bucket) => driver.removeObject(bucket, tail)));
  }

  private async isThere(): Promise<boolean> {
    return (await unless(isMissing, this.client.call((driver, bucket) => driver.statObject(bucket, this.name))))?.size === this.target.size;
  }
}

async function* behind(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* rest;
}

/** `undefined` where the store says what was to be expected. */
export const unless = <T>(isExpected: (error: unknown) => boolean, found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isExpected(error)) return undefined;
    throw error;
  });
