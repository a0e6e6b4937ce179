import { once } from 'node:events';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type ByteRange, ObjectNotFound, ObjectStore } from '@twinyard/blobs';
import { ServiceError } from '@twinyard/conventions';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { decode } from './content-codings';
import type { MultipartByteranges } from './multipart-byteranges';
import type { StoredContent } from './stored-content';

const CHUNK = 256 * 1024;

/** `cause` is what the log says; callers hear that it is our fault. */
const unreadable = (cause: unknown) => new ServiceError('internal', 'The content cannot be read', { cause });

/** Passes on as many bytes as were announced: after fewer the next answer on the line would be taken for the rest of this one. */
class ExactBytes extends Transform {
  private left: number;

  constructor(length: number) {
    super({ highWaterMark: CHUNK });
    this.left = length;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.left -= chunk.length;
    if (this.left < 0) done(unreadable(new Error('the store has more bytes than the record says')));
    else done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(this.left === 0 ? null : unreadable(new Error(`the store has ${this.left} bytes less than the record says`)));
  }
}

/**
 * Contents as streams. None is given out before its first bytes are there, a small one not before all of them, so that what fails at
 * once is answered as an error; what fails later breaks the line off. A reader that goes away closes what is open in the store.
 */
@Injectable()
export class ContentBodies {
  constructor(
    private readonly store: ObjectStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async stored(content: StoredContent, range?: ByteRange): Promise<Readable> {
    const source = await this.store.get(content.blobKey, range).catch((error: unknown) => {
      throw error instanceof ObjectNotFound ? unreadable(error) : error;
    });
    const length = range === undefined ? content.size : range.last - range.first + 1;
    const body = pipeline(source, new ExactBytes(length), (error) => this.report(content, error));
    if (length >= CHUNK) return this.begun(body);
    await once(body, 'finish');
    return body;
  }

  parts(content: StoredContent, parts: MultipartByteranges): Promise<Readable> {
    return parts.body((range) => this.stored(content, range));
  }

  async decoded(content: StoredContent, codings: readonly string[]): Promise<Readable> {
    const body = decode(await this.stored(content), codings).on('error', (error) => this.report(content, error));
    return this.begun(body).catch((cause: unknown) => {
      if (cause instanceof ServiceError) throw cause;
      throw new ServiceError('unprocessable', `The content is not in its encoding (${codings.join(', ')}); it can be had as it is stored`, { cause });
    });
  }

  private async begun(body: Readable): Promise<Readable> {
    if (body.readableLength === 0 && !body.readableEnded) await once(body, 'readable');
    return body;
  }

  /** Of a reader that goes away there is nothing to say. */
  private report({ blobKey }: StoredContent, error: NodeJS.ErrnoException | null | undefined): void {
    if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && error.code !== 'ABORT_ERR') {
      this.logger.error({ err: error instanceof ServiceError ? error.cause : error, blobKey }, 'a download broke off');
    }
  }
}
