import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { ObjectStore } from '@twinyard/blobs';
import { ServiceError } from '@twinyard/conventions';
import { Server } from '@tus/server';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { BlobSweeper } from '../uploads/blob-sweeper';
import { BeginUpload } from './begin-upload';
import { uploadTooLong } from '../uploads/file-size';
import { LineSilence } from '../uploads/line-silence';
import { UploadTransactions } from '../uploads/upload-transactions';
import { ExpiredUploads } from './expired-uploads';
import type { FileEntity } from '../files/file.entity';
import { FinishUpload } from './finish-upload';
import type { ResumableUploadEntity } from './resumable-upload.entity';
import { ResumableUploadsRepository } from './resumable-uploads.repository';
import type { UploadCall } from './resumable-query';
import { type ResumableDraft, type ResumableFileDto, toBegunFileDto, toResumableFileDto } from './resumable.dto';
import { RunningDigests } from './running-digests';
import { OFFSET_STREAM, refusalOf, requireOffsetStream, TUS_VERSION } from './tus-refusal';
import { UploadAccess } from './upload-access';
import { UploadDataStore } from './upload-data-store';
import { NO_LOCK, UploadLock, type UploadTurn } from './upload-lock';
import { UploadWriters } from './upload-writers';

/** Some three seconds: most versions are made in less, and by default tus-js-client comes back four times. */
const [LOOKS, LOOK_MS] = [12, 250];

/** Somebody is making the version, or just has. */
const isEnding = (error: unknown) => error instanceof ServiceError && (error.code === 'locked' || error.code === 'not_found');

/** Stores and rules that uploads under way are held by. */
@Injectable()
export class UploadRoom {
  constructor(
    readonly begin: BeginUpload,
    readonly access: UploadAccess,
    readonly uploads: ResumableUploadsRepository,
    readonly digests: RunningDigests,
    readonly finish: FinishUpload,
    readonly expired: ExpiredUploads,
  ) {}
}

/** Where the protocol's own addresses lie; nobody outside sees them, since an upload is addressed by its file. */
const PATH = '/uploads';

/**
 * Uploads in pieces (tus 1.0.0), made by this API's own POST. The protocol (headers, offsets, status codes) is that of `@tus/server`, a
 * server for each request, since each knows its caller; the bytes and the lock are ours.
 */
@Injectable()
export class ResumableUploads {
  constructor(
    private readonly room: UploadRoom,
    private readonly store: ObjectStore,
    private readonly sweeper: BlobSweeper,
    private readonly writers: UploadWriters,
    private readonly transactions: UploadTransactions,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'UPLOAD_EXPIRY_SECONDS'>,
  ) {}

  /** Zero bytes are whole at once. */
  async begin(ctx: RequestContext, draft: ResumableDraft): Promise<ResumableFileDto> {
    const { file, upload } = await this.room.begin.run(ctx, draft);
    if (upload.size > 0) return toBegunFileDto(file, upload);
    return toResumableFileDto(await this.room.finish.run(ctx, upload, upload.received), upload);
  }

  /** The file with the latest upload to it that is under way; nothing when none is. */
  async underWay(file: FileEntity): Promise<ResumableFileDto | undefined> {
    const [upload] = await this.room.uploads.ofFile(file.id);
    return upload && toResumableFileDto(file, upload);
  }

  /**
   * How far it has come. Its end is told when there is a version: whoever hears of it does not come again, and would find none, or lose
   * what a process that died had not finished. While somebody else is about it that is waited for, for a while.
   */
  async head(ctx: RequestContext, call: UploadCall, raw: IncomingMessage): Promise<Response> {
    for (let looks = 1; ; looks += 1) {
      const { upload, whole } = await this.room.access.find(ctx, call);
      if (upload === undefined) return wholeAt(whole);
      try {
        return await this.look(ctx, upload, raw);
      } catch (error) {
        if (looks === LOOKS || !isEnding(error)) throw error;
        await setTimeout(LOOK_MS);
      }
    }
  }

  async patch(ctx: RequestContext, call: UploadCall, raw: IncomingMessage): Promise<Response> {
    const upload = await this.room.access.require(ctx, call);
    requireOffsetStream(raw.headers);
    requireFit(upload, raw);
    return this.handle(ctx, upload.id, raw, 'PATCH');
  }

  /** A file that has a version stays as it is, and is answered; one that has none is gone with its last upload. */
  async cancel(ctx: RequestContext, call: UploadCall): Promise<FileEntity | undefined> {
    const { id, fileId } = await this.room.access.require(ctx, call);
    const lock = this.lockFor(ctx, id, { end: new AbortController(), silence: new LineSilence() });
    await lock.lock();
    try {
      return await this.transactions.run(ctx, async (tx) => {
        await this.room.uploads.giveUp(tx, id);
        return this.room.expired.removeWaiting(tx, fileId);
      });
    } finally {
      await lock.unlock();
      this.sweeper.soon();
    }
  }

  /** What has come whole and was not made a version, because a process died, is now. */
  private async look(ctx: RequestContext, { id, size }: ResumableUploadEntity, raw: IncomingMessage): Promise<Response> {
    await this.writers.displace(id, ctx.callerId);
    const response = await this.handle(ctx, id, raw, 'HEAD');
    if (response.headers.get('upload-offset') === String(size)) await this.handle(ctx, id, raw, 'PATCH', { 'upload-offset': String(size) });
    return response;
  }

  private lockFor(ctx: RequestContext, uploadId: string, turn: Pick<UploadTurn, 'end' | 'silence'>): UploadLock {
    return new UploadLock({ uploads: this.room.uploads, writers: this.writers, transactions: this.transactions }, { ctx, uploadId, ...turn });
  }

  private async handle(ctx: RequestContext, uploadId: string, raw: IncomingMessage, method: 'HEAD' | 'PATCH', more: Record<string, string> = {}): Promise<Response> {
    const [end, silence] = [new AbortController(), new LineSilence()];
    const lock = this.lockFor(ctx, uploadId, { end, silence });
    const expiryMs = this.settings.UPLOAD_EXPIRY_SECONDS * 1_000;
    const datastore = new UploadDataStore({ ...this.room, transactions: this.transactions, store: this.store, expiryMs }, { ctx, raw, lock, silence, signal: end.signal });
    const server = new Server({ path: PATH, datastore, locker: method === 'HEAD' ? NO_LOCK : lock });
    const response = await server.handleWeb(new Request(`http://uploads${PATH}/${uploadId}`, { method, headers: { ...headersOf(raw), ...more } }));
    const failure = lock.refusal ?? datastore.failure;
    if (failure instanceof ServiceError || (failure !== undefined && response.status >= 500)) throw failure;
    if (response.status >= 400) throw await refusalOf(response);
    return response;
  }
}

/** What is announced to be too long is not read. */
function requireFit({ size, received }: ResumableUploadEntity, { headers }: IncomingMessage): void {
  const end = received.offset + Number(headers['content-length'] ?? 0);
  if (Number(headers['upload-offset']) === received.offset && end > size) throw uploadTooLong(size, end);
}

/** Clients of this API need not say that they speak tus. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const names = ['content-length', 'upload-offset', 'upload-checksum'];
  const given = names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []));
  return { 'tus-resumable': TUS_VERSION, 'content-type': OFFSET_STREAM, ...(Object.fromEntries(given) as Record<string, string>) };
}

/** As if the upload were still there: whoever did not hear the answer to the last piece learns that nothing is missing. */
const wholeAt = (size: number) => new Response(null, { status: 200, headers: { 'upload-offset': String(size), 'upload-length': String(size), 'cache-control': 'no-store' } });
