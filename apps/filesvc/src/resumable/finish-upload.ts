import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { ObjectStore, type PartialObject } from '@twinyard/blobs';
import { notFound, ServiceError } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { unsaidType } from '../detection/unsaid-type';
import { changedBy } from '../files/authorship';
import type { FileEntity } from '../files/file.entity';
import { FilesRepository } from '../files/files.repository';
import { NewFiles } from '../files/new-files';
import { LooseBlobsRepository } from '../uploads/loose-blobs.repository';
import { UNKNOWN_TYPE } from '../uploads/part-headers';
import { type Kept, UploadRecords } from '../uploads/records/upload-records';
import { UploadTransactions } from '../uploads/upload-transactions';
import { type BlobFindings, BlobInspection } from '../scan/blob-inspection';
import type { ResumableUploadEntity } from './resumable-upload.entity';
import { ResumableUploadsRepository } from './resumable-uploads.repository';
import { RunningDigests } from './running-digests';
import { UploadAccess } from './upload-access';

/** What the end of an upload changes. */
@Injectable()
export class FinishedRecords {
  constructor(
    readonly files: FilesRepository,
    readonly newFiles: NewFiles,
    readonly uploads: ResumableUploadsRepository,
    readonly looseBlobs: LooseBlobsRepository,
    readonly versions: UploadRecords,
    readonly outbox: Outbox,
  ) {}
}

/** How long the bytes wait for their version before they are taken for a crash's. */
const KEPT_MS = 3_600_000;

const mismatch = () => new ServiceError('checksum_mismatch', 'The bytes that came are not those of the checksum; the upload is over');

/**
 * Makes the version of an upload whose last byte has come. The bytes become an object first, noted as loose; one transaction makes the
 * version. Each step may be done again: after a crash between them, the next request to the upload does so.
 */
@Injectable()
export class FinishUpload {
  constructor(
    private readonly store: ObjectStore,
    private readonly records: FinishedRecords,
    private readonly access: UploadAccess,
    private readonly digests: RunningDigests,
    private readonly inspection: BlobInspection,
    private readonly transactions: UploadTransactions,
  ) {}

  /** Rejects with 460 when the bytes are others than announced: then the upload is gone, and there is no version. */
  async run(ctx: RequestContext, upload: ResumableUploadEntity, received: PartialObject): Promise<FileEntity> {
    const { id, blobKey: key, size, checksum } = upload;
    await this.transactions.run(ctx, (tx) => this.records.looseBlobs.note(tx, key, new Date(Date.now() + KEPT_MS)));
    await this.store.complete({ key, size }, received);
    const sha256 = this.digests.at(id, size)?.digest('hex') ?? (await this.read(key));
    this.digests.forget(id);
    if (sha256 !== checksum) {
      await this.transactions.run(ctx, (tx) => this.fail(tx, ctx, upload));
      await this.store.delete(key);
      throw mismatch();
    }
    // Without a verdict of the scanner there is no version: the bytes wait, and the next request to the upload asks again.
    const found = await this.inspection.inspect({ key, size }, upload.contentEncoding);
    return this.transactions.run(ctx, (tx) => this.keep(tx, ctx, upload, found));
  }

  private async keep(tx: TypeOrmTx, ctx: RequestContext, upload: ResumableUploadEntity, { detectedContentType, quarantinedFor }: BlobFindings): Promise<FileEntity> {
    const { versionId, contentEncoding, size, blobKey: key, checksum: sha256 } = upload;
    const contentType = upload.contentType === UNKNOWN_TYPE ? unsaidType(detectedContentType) : upload.contentType;
    const found = await this.records.files.read(tx, upload.fileId);
    if (found === undefined) throw notFound('file', upload.fileId);
    await this.records.newFiles.openPlace(tx, found);
    const seen = await this.access.requireFile(tx, ctx, upload.fileId);
    // Whoever was here at the same time has made the version.
    if (!(await this.records.uploads.remove(tx, upload.id))) return seen;
    const { namespaces, parentId, name, id: fileId } = seen;
    const draft = { namespaces, parentId, ...(upload.tags && { tags: upload.tags }), ...(upload.userAttributes && { userAttributes: upload.userAttributes }) };
    const content = { name, contentType, contentEncoding, blob: { key, size, sha256, detectedContentType }, quarantinedFor, fileId, versionId, by: { ctx, draft, now: new Date() } };
    const kept: Kept = await this.records.versions.addVersion(tx, seen, content);
    await this.records.outbox.append(tx, ...kept.events);
    return kept.file;
  }

  /** A file that has a version, or waits for another content, stays as it is. */
  private async fail(tx: TypeOrmTx, ctx: RequestContext, upload: ResumableUploadEntity): Promise<void> {
    const file = await this.records.files.lock(tx, upload.fileId);
    await this.records.uploads.remove(tx, upload.id);
    if (file === undefined || file.tipId !== null || (await this.records.uploads.ofFile(file.id, tx.manager)).length > 0) return;
    Object.assign(file, { status: 'UPLOAD_FAILED' as const }, changedBy(ctx, new Date()));
    await this.records.files.update(tx, file);
  }

  private async read(key: string): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of await this.store.get(key)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  }
}
