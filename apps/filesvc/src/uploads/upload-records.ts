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
import { NewFiles } from '../files/new-files';
import type { Place } from '../files/placement';
import { FileVersionEntity } from '../versions/file-version.entity';
import { VersionsRepository } from '../versions/versions.repository';
import { statusOfTip } from '../files/file-status';
import type { StoredBlob } from './blob-intake';
import { LooseBlobsRepository } from './loose-blobs.repository';

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

/** The records that one upload makes or changes. */
@Injectable()
export class UploadRecords {
  constructor(
    private readonly files: FilesRepository,
    private readonly newFiles: NewFiles,
    private readonly versions: VersionsRepository,
    private readonly looseBlobs: LooseBlobsRepository,
    private readonly events: FilesEvents,
  ) {}

  /** `undefined` when somebody else has just taken the name. */
  async makeFile(tx: TypeOrmTx, ctx: RequestContext, { place, draft, now }: UploadPlace, upload: Upload): Promise<Kept | undefined> {
    const { name, fileId: id } = upload;
    const version = toVersion(ctx, upload, { fileId: id, number: 1, now });
    const file = Object.assign(new FileEntity(), {
      id, name, type: 'file' as const, namespaces: place.namespaces, parentId: place.parentId, tags: draft.tags ?? [], status: statusOfTip(version),
      tipId: version.id, tip: version, nextVersion: 2, revision: 1, ...authoredBy(ctx, now),
    });
    if (!(await this.newFiles.insert(tx, place, file))) return undefined;
    await this.insertVersion(tx, version);
    return { file, events: [this.events.file('created', ctx, file), this.events.version('created', ctx, file, version)] };
  }

  async addVersion(tx: TypeOrmTx, ctx: RequestContext, file: FileEntity, { draft, now }: UploadPlace, upload: Upload): Promise<Kept> {
    const version = toVersion(ctx, upload, { fileId: file.id, number: file.nextVersion, now });
    await this.insertVersion(tx, version);
    const tip = { tipId: version.id, tip: version, nextVersion: file.nextVersion + 1, status: statusOfTip(version) };
    const verb = file.tipId === null ? 'created' : 'updated';
    Object.assign(file, tip, draft.tags && { tags: draft.tags }, changedBy(ctx, now));
    await this.files.update(tx, file);
    return { file: Object.assign(new FileEntity(), file), events: [this.events.file(verb, ctx, file), this.events.version('created', ctx, file, version)] };
  }

  private async insertVersion(tx: TypeOrmTx, version: FileVersionEntity): Promise<void> {
    if (!(await this.looseBlobs.take(tx, version.blobKey))) throw unavailable('The upload took too long; send it again');
    await this.versions.insert(tx, version);
  }
}

function toVersion(ctx: RequestContext, upload: Upload, of: { readonly fileId: string; readonly number: number; readonly now: Date }): FileVersionEntity {
  const { contentType, contentEncoding, quarantinedFor, blob, versionId: id } = upload;
  const { fileId, number, now } = of;
  const columns = { id, fileId, number, size: blob.size, sha256: blob.sha256, contentType, contentEncoding, detectedContentType: blob.detectedContentType, quarantinedFor, blobKey: blob.key };
  return Object.assign(new FileVersionEntity(), columns, authoredBy(ctx, now));
}
