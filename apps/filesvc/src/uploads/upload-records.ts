import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { unavailable } from '@twinyard/conventions';
import type { NewEvent } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { authoredBy, changedBy } from '../files/authorship';
import { FileEntity } from '../files/file.entity';
import type { UploadDraft } from '../files/file-draft.dto';
import { FilesEvents } from '../files/files.events';
import { FilesRepository } from '../files/files.repository';
import type { Place } from '../files/placement';
import { PreviewOrders } from '../previews/preview-orders';
import { FileVersionEntity } from '../versions/file-version.entity';
import { VersionsRepository } from '../versions/versions.repository';
import { statusOfTip } from '../files/file-status';
import type { StoredBlob } from './blob-intake';
import { LooseBlobsRepository } from './loose-blobs.repository';
import { type UploadedFile, UploadedFilesRepository } from './uploaded-files.repository';

/** A part whose bytes are in the store. */
export interface ReceivedFile {
  readonly name: string;
  readonly contentType: string;
  readonly contentEncoding: string | null;
  readonly blob: StoredBlob;
}

/** … and which has been scanned, where that is done. */
export interface ScannedFile extends ReceivedFile {
  /** What a scan found in it. */
  readonly quarantinedFor: string | null;
}

export interface Upload extends ScannedFile {
  readonly fileId: string;
  readonly versionId: string;
}

export interface Kept {
  readonly file: FileEntity;
  readonly events: readonly NewEvent[];
}

export interface UploadPlace {
  readonly place: Place;
  readonly draft: UploadDraft;
  readonly now: Date;
}

/** The sweep has taken the bytes. */
const tooLate = () => unavailable('The upload took too long; send it again');

/** The records that one upload makes or changes. */
@Injectable()
export class UploadRecords {
  constructor(
    private readonly files: FilesRepository,
    private readonly uploaded: UploadedFilesRepository,
    private readonly versions: VersionsRepository,
    private readonly looseBlobs: LooseBlobsRepository,
    private readonly events: FilesEvents,
    private readonly previews: PreviewOrders,
  ) {}

  /** New files of these names, which differ; by upload, without those whose names somebody else has just taken. */
  async makeFiles(tx: TypeOrmTx, ctx: RequestContext, where: UploadPlace, uploads: readonly Upload[]): Promise<ReadonlyMap<Upload, Kept>> {
    const files = new Map(uploads.map((upload) => [toFile(ctx, where, upload), upload]));
    const made = await this.uploaded.insert(tx, where.place, [...files.keys()]);
    if (made.some(({ hadBlob }) => !hadBlob)) throw tooLate();
    await this.orderPreviews(tx, ctx, made.map(({ file }) => ({ version: file.tip, namespaces: file.namespaces })));
    return new Map(made.map(({ file }) => [files.get(file) as Upload, { file, events: [this.events.file('created', ctx, file), this.events.version('created', ctx, file, file.tip)] }]));
  }

  async addVersion(tx: TypeOrmTx, ctx: RequestContext, file: FileEntity, { draft, now }: UploadPlace, upload: Upload): Promise<Kept> {
    const version = toVersion(ctx, upload, { fileId: file.id, number: file.nextVersion, now });
    if (!(await this.looseBlobs.take(tx, version.blobKey))) throw tooLate();
    await this.versions.insert(tx, version);
    await this.orderPreviews(tx, ctx, [{ version, namespaces: file.namespaces }]);
    const tip = { tipId: version.id, tip: version, nextVersion: file.nextVersion + 1, status: statusOfTip(version) };
    const verb = file.tipId === null ? 'created' : 'updated';
    Object.assign(file, tip, draft.tags && { tags: draft.tags }, draft.userAttributes && { userAttributes: draft.userAttributes }, changedBy(ctx, now));
    await this.files.update(tx, file);
    return { file: Object.assign(new FileEntity(), file), events: [this.events.file(verb, ctx, file), this.events.version('created', ctx, file, version)] };
  }

  /** What a scan holds gets its picture when it is let go. */
  private orderPreviews(tx: TypeOrmTx, ctx: RequestContext, made: readonly { readonly version: FileVersionEntity; readonly namespaces: readonly string[] }[]): Promise<void> {
    const free = made.filter(({ version }) => version.quarantinedFor === null);
    return this.previews.order(tx, ctx.origin, free.map(({ version: { id }, namespaces }) => ({ id, namespaces })));
  }
}

function toFile(ctx: RequestContext, { place, draft, now }: UploadPlace, upload: Upload): UploadedFile {
  const version = toVersion(ctx, upload, { fileId: upload.fileId, number: 1, now });
  return Object.assign(new FileEntity(), {
    id: upload.fileId, name: upload.name, type: 'file' as const, namespaces: place.namespaces, parentId: place.parentId, tags: draft.tags ?? [], userAttributes: draft.userAttributes ?? {},
    status: statusOfTip(version), tipId: version.id, tip: version, nextVersion: 2, revision: 1, ...authoredBy(ctx, now),
  });
}

function toVersion(ctx: RequestContext, upload: Upload, of: { readonly fileId: string; readonly number: number; readonly now: Date }): FileVersionEntity {
  const { contentType, contentEncoding, quarantinedFor, blob, versionId: id } = upload;
  const { fileId, number, now } = of;
  const columns = { id, fileId, number, size: blob.size, sha256: blob.sha256, contentType, contentEncoding, detectedContentType: blob.detectedContentType, quarantinedFor, blobKey: blob.key };
  return Object.assign(new FileVersionEntity(), columns, authoredBy(ctx, now));
}
