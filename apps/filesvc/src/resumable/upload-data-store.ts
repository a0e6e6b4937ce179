import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestContext } from '@twinyard/auth';
import type { ObjectStore, PartialObject } from '@twinyard/blobs';
import { invalidField, notFound, ServiceError } from '@twinyard/conventions';
import { DataStore, Upload } from '@tus/server';
import type { Room } from '../quota/room';
import { uploadTooLong } from '../uploads/file-size';
import { digestWanted, rememberDigest } from '../uploads/sent-bodies';
import { sentBytes } from '../uploads/sent-bytes';
import type { LineSilence } from '../uploads/line-silence';
import type { UploadTransactions } from '../uploads/upload-transactions';
import type { FinishUpload } from './finish-upload';
import type { ResumableUploadEntity } from './resumable-upload.entity';
import type { ResumableUploadsRepository } from './resumable-uploads.repository';
import type { RunningDigests } from './running-digests';
import { CHECKSUM_ALGORITHMS, TUS_EXTENSIONS } from './tus-transport';
import type { UploadLock } from './upload-lock';

/** What one request to an upload works with. */
export interface UploadRequest {
  readonly ctx: RequestContext;
  readonly raw: IncomingMessage;
  readonly lock: UploadLock;
  readonly silence: LineSilence;
  /** Aborted when the lock is lost. */
  readonly signal: AbortSignal;
}

export interface UploadParts {
  readonly store: ObjectStore;
  readonly uploads: ResumableUploadsRepository;
  readonly transactions: UploadTransactions;
  readonly digests: RunningDigests;
  readonly finish: FinishUpload;
  readonly expiryMs: number;
}

/** The store behind the tus protocol for one request; bytes are read from the request itself. */
export class UploadDataStore extends DataStore {
  /** What the protocol's own words would hide. */
  failure: unknown;
  private upload: ResumableUploadEntity | undefined;

  constructor(private readonly parts: UploadParts, private readonly request: UploadRequest) {
    super();
    this.extensions = [...TUS_EXTENSIONS];
  }

  override getExpiration(): number {
    return this.parts.expiryMs;
  }

  override getUpload(id: string): Promise<Upload> {
    return this.told(async () => {
      this.upload = await this.ask((uploads) => uploads.read(id));
      if (this.upload === undefined) throw notFound('upload', id);
      const { size, received, createdAt } = this.upload;
      return new Upload({ id, size, offset: received.offset, creation_date: createdAt.toISOString() });
    });
  }

  override write(): Promise<number> {
    const upload = this.upload as ResumableUploadEntity;
    return this.told(() => this.whileHeld(upload, async () => {
      const expected = expectedDigest(this.request.raw.headers['upload-checksum']);
      // All has come before, and may be an object already: what is missing is the version.
      const received = upload.received.offset === upload.size ? upload.received : await this.receive(upload, expected);
      if (received.offset === upload.size) await this.parts.finish.run(this.request.ctx, upload, received);
      return received.offset;
    }));
  }

  /** Bytes of an upload that was given up, or whose file was deleted, are swept while they come: a store fails at that in words of its own. */
  private async whileHeld<T>({ id }: ResumableUploadEntity, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isGone = (await this.ask((uploads) => uploads.read(id))) === undefined;
      const isOurs = !isGone && (await this.ask((uploads) => uploads.renew(id, this.request.lock.lease)));
      if (isOurs || (error instanceof ServiceError && error.code !== 'locked')) throw error;
      throw isGone ? notFound('upload', id) : takenOver();
    }
  }

  /** Everything that came is kept and written down, also of a line that died; with a checksum of the piece, all of it or nothing. */
  private async receive(upload: ResumableUploadEntity, expected: ExpectedDigest | undefined): Promise<PartialObject> {
    const { store, digests } = this.parts;
    const running = digests.at(upload.id, upload.received.offset);
    const { raw, signal, silence } = this.request;
    const sent = digestWanted(raw);
    const body = new HashedBody(sentBytes(raw, { signal, silence, room: roomOf(upload) }), [running, expected?.hash, sent].filter((hash) => hash !== undefined));
    let received = upload.received;
    try {
      for await (const state of store.append({ key: upload.blobKey, size: upload.size }, upload.received, body)) {
        if (expected === undefined) await this.save(upload, state);
        received = state;
      }
      if (expected !== undefined) await this.saveChecked(upload, received, expected);
      if (sent !== undefined) rememberDigest(raw, sent);
      return received;
    } finally {
      if (running !== undefined && upload.received.offset + body.length === received.offset) digests.keep(upload.id, received.offset, running);
    }
  }

  private async saveChecked(upload: ResumableUploadEntity, received: PartialObject, { hash, digest }: ExpectedDigest): Promise<void> {
    if (hash.digest('base64') !== digest) throw new ServiceError('checksum_mismatch', 'This piece is not that of its Upload-Checksum; it was dropped');
    await this.save(upload, received);
  }

  private async save(upload: ResumableUploadEntity, received: PartialObject): Promise<void> {
    if (!(await this.ask((uploads) => uploads.save(upload.id, this.request.lock.lease, received)))) throw takenOver();
  }

  private ask<T>(statement: (uploads: ResumableUploadsRepository) => Promise<T>): Promise<T> {
    const { transactions, uploads } = this.parts;
    return transactions.ask(this.request.ctx, () => statement(uploads));
  }

  private async told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

/** What is left of what was announced. */
const roomOf = ({ size, received: { offset } }: ResumableUploadEntity): Room => ({ bytes: size - offset, refuse: (requested) => uploadTooLong(size, offset + requested) });

const takenOver = () => new ServiceError('locked', 'The upload was taken over, or is gone');

interface ExpectedDigest {
  readonly hash: Hash;
  /** Base64. */
  readonly digest: string;
}

/** Extension "checksum" of tus 1.0.0: `Upload-Checksum: <algorithm> <Base64>`. */
function expectedDigest(header: string | string[] | undefined): ExpectedDigest | undefined {
  if (header === undefined) return undefined;
  const [algorithm = '', digest = ''] = String(header).trim().split(/\s+/);
  if (digest === '' || !CHECKSUM_ALGORITHMS.includes(algorithm.toLowerCase())) throw invalidField('Upload-Checksum', `must be the digest in Base64 behind one of ${CHECKSUM_ALGORITHMS.join(', ')}`);
  return { hash: createHash(algorithm.toLowerCase()), digest };
}

class HashedBody implements AsyncIterable<Buffer> {
  /** Bytes hashed. */
  length = 0;

  constructor(private readonly body: AsyncIterable<Buffer>, private readonly hashes: readonly Hash[]) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const chunk of this.body) {
      for (const hash of this.hashes) hash.update(chunk);
      this.length += chunk.length;
      yield chunk;
    }
  }
}
