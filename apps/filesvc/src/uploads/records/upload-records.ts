import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { unavailable } from '@twinyard/conventions';
import type { NewEvent } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { authoredBy, changedBy } from '../../files/authorship';
import { FileEntity } from '../../files/file.entity';
import type { UploadDraft } from '../../files/file-draft.dto';
import { FilesEvents } from '../../files/files.events';
import { FilesRepository } from '../../files/files.repository';
import type { Place } from '../../files/placement';
import { PreviewOrders } from '../../previews/preview-orders';
import { FileVersionEntity } from '../../versions/file-version.entity';
import { VersionsRepository } from '../../versions/versions.repository';
import { statusOfTip } from '../../files/file-status';
import type { StoredBlob } from '../blob-intake';
import { LooseBlobsRepository } from '../loose-blobs.repository';
import { type UploadedFile, UploadedFilesRepository } from './uploaded-files.repository';

/** A part whose bytes are in the store. */
export interface ReceivedFile {
  readonly name: string;
  readonly contentType: string;
  readonly contentEncoding: string | null;
  readonly blob: StoredBlob;
  /** Whether something had its name there when it was allowed. */
  readonly wasTaken: boolean;
}

/** … and which has been scanned, where that is done. */
export interface ScannedFile extends ReceivedFile {
  /** What a scan found in it. */
  readonly quarantinedFor: string | null;
}

/** Whose an upload is, and what it says of its files. */
export interface UploadOrder {
  readonly ctx: RequestContext;
  readonly draft: UploadDraft;
  readonly now: Date;
  /** Last in the transaction that makes all files of the request. */
  readonly finish?: ((tx: TypeOrmTx, files: readonly FileEntity[]) => Promise<void>) | undefined;
}

export interface Upload extends Omit<ScannedFile, 'wasTaken'> {
  readonly fileId: string;
  readonly versionId: string;
  readonly by: UploadOrder;
}

export interface Kept {
  readonly file: FileEntity;
  readonly events: readonly NewEvent[];
}

/** By the bytes of their names. */
export const byName = ({ name: one }: Upload, { name: other }: Upload) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** The sweep has taken the bytes. */
export const tooLate = () => unavailable('The upload took too long; send it again');

/** The records that uploads make or change. */
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

  /**
   * New files of these names, which differ; by upload, without those whose names somebody else has just taken. `late`: thrown for one whose
   * bytes the sweep has taken.
   */
  async makeFiles(tx: TypeOrmTx, place: Place, uploads: readonly Upload[], late: (upload: Upload) => Error = tooLate): Promise<ReadonlyMap<Upload, Kept>> {
    const files = new Map(uploads.map((upload) => [toFile(place, upload), upload]));
    const made = (await this.uploaded.insert(tx, place, [...files.keys()])).map(({ file, hadBlob }) => ({ file, hadBlob, upload: files.get(file) as Upload }));
    for (const { hadBlob, upload } of made) if (!hadBlob) throw late(upload);
    await this.orderPreviews(tx, made.map(({ file, upload }) => ({ version: file.tip, namespaces: file.namespaces, by: upload.by })));
    return new Map(made.map(({ file, upload }) => [upload, { file, events: this.eventsOf('created', upload.by, file, file.tip) }]));
  }

  async addVersion(tx: TypeOrmTx, file: FileEntity, upload: Upload): Promise<Kept> {
    const { ctx, draft, now } = upload.by;
    const version = toVersion(upload, { fileId: file.id, number: file.nextVersion });
    if (!(await this.looseBlobs.take(tx, version.blobKey))) throw tooLate();
    await this.versions.insert(tx, version);
    await this.orderPreviews(tx, [{ version, namespaces: file.namespaces, by: upload.by }]);
    const tip = { tipId: version.id, tip: version, nextVersion: file.nextVersion + 1, status: statusOfTip(version) };
    const verb = file.tipId === null ? 'created' : 'updated';
    Object.assign(file, tip, draft.tags && { tags: draft.tags }, draft.userAttributes && { userAttributes: draft.userAttributes }, changedBy(ctx, now));
    await this.files.update(tx, file);
    return { file: Object.assign(new FileEntity(), file), events: this.eventsOf(verb, upload.by, file, version) };
  }

  private eventsOf(verb: 'created' | 'updated', { ctx }: UploadOrder, file: FileEntity, version: FileVersionEntity): readonly NewEvent[] {
    return [this.events.file(verb, ctx, file), this.events.version('created', ctx, file, version)];
  }

  /** What a scan holds gets its picture when it is let go. */
  private orderPreviews(tx: TypeOrmTx, made: readonly { readonly version: FileVersionEntity; readonly namespaces: readonly string[]; readonly by: UploadOrder }[]): Promise<void> {
    const free = made.filter(({ version }) => version.quarantinedFor === null);
    return this.previews.order(tx, free.map(({ version: { id }, namespaces, by }) => ({ id, namespaces, origin: by.ctx.origin })));
  }
}

function toFile(place: Place, upload: Upload): UploadedFile {
  const { ctx, draft, now } = upload.by;
  const version = toVersion(upload, { fileId: upload.fileId, number: 1 });
  return Object.assign(new FileEntity(), {
    id: upload.fileId, name: upload.name, type: 'file' as const, namespaces: place.namespaces, parentId: place.parentId, tags: draft.tags ?? [], userAttributes: draft.userAttributes ?? {},
    status: statusOfTip(version), tipId: version.id, tip: version, nextVersion: 2, revision: 1, ...authoredBy(ctx, now),
  });
}

function toVersion(upload: Upload, { fileId, number }: { readonly fileId: string; readonly number: number }): FileVersionEntity {
  const { contentType, contentEncoding, quarantinedFor, blob, versionId: id, by: { ctx, now } } = upload;
  const columns = { id, fileId, number, size: blob.size, sha256: blob.sha256, contentType, contentEncoding, detectedContentType: blob.detectedContentType, quarantinedFor, blobKey: blob.key };
  return Object.assign(new FileVersionEntity(), columns, authoredBy(ctx, now));
}
