import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { NOTHING_RECEIVED } from '@twinyard/blobs';
import { conflict, newUuid } from '@twinyard/conventions';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { authoredBy } from '../files/authorship';
import { FileEntity } from '../files/file.entity';
import { FilesRepository } from '../files/files.repository';
import { NewFiles } from '../files/new-files';
import { type Place, Placement, requireWithinFilter } from '../files/placement';
import { NamespaceQuota } from '../quota/namespace-quota';
import { fileTooLarge } from '../uploads/file-size';
import { ResumableUploadEntity } from './resumable-upload.entity';
import { ResumableUploadsRepository } from './resumable-uploads.repository';
import type { ResumableDraft } from './resumable.dto';

export interface BegunUpload {
  readonly file: FileEntity;
  readonly upload: ResumableUploadEntity;
}

/** The stores that an upload begins in. */
@Injectable()
export class BegunRecords {
  constructor(readonly files: FilesRepository, readonly newFiles: NewFiles, readonly uploads: ResumableUploadsRepository) {}
}

/**
 * Begins an upload in pieces. A new name is taken at once, by a record without a version, of which nobody is told yet. The same
 * content announced again for the same file is the same upload, so that a client that has forgotten where it was finds out.
 */
@Injectable()
export class BeginUpload {
  constructor(
    private readonly records: BegunRecords,
    private readonly placement: Placement,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly quota: NamespaceQuota,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'UPLOAD_EXPIRY_SECONDS' | 'MAX_FILE_SIZE'>,
  ) {}

  async run(ctx: RequestContext, draft: ResumableDraft): Promise<BegunUpload> {
    requireWithinFilter(ctx, draft.namespaces);
    if (draft.size > this.settings.MAX_FILE_SIZE) throw fileTooLarge(this.settings.MAX_FILE_SIZE, draft.size);
    return this.unitOfWork.run(async (tx) => {
      const place = await this.records.newFiles.openPlace(tx, draft);
      const file = await this.occupy(tx, ctx, place, draft);
      return { file, upload: await this.take(tx, ctx, file, draft) };
    });
  }

  /** The file of that name, locked; made when there is none. */
  private occupy(tx: TypeOrmTx, ctx: RequestContext, place: Place, draft: ResumableDraft): Promise<FileEntity> {
    return this.placement.claim(tx, ctx, { place, name: draft.name }, {
      goOnWith: (file) => this.wait(tx, file),
      make: async () => {
        const file = pendingFile(ctx, place, draft);
        return (await this.records.newFiles.insert(tx, place, file)) ? file : undefined;
      },
    });
  }

  /** One that never had a content waits for it again. */
  private async wait(tx: TypeOrmTx, file: FileEntity): Promise<FileEntity> {
    if (file.status !== 'UPLOAD_FAILED') return file;
    Object.assign(file, { status: 'UPLOAD_PENDING' as const });
    await this.records.files.update(tx, file);
    return file;
  }

  private async take(tx: TypeOrmTx, ctx: RequestContext, file: FileEntity, draft: ResumableDraft): Promise<ResumableUploadEntity> {
    const { size, checksum, contentType, contentEncoding, tags = null, userAttributes = null } = draft;
    const same = (await this.records.uploads.ofFile(file.id, tx.manager)).find((upload) => upload.checksum === checksum);
    if (same !== undefined && same.size !== size) throw conflict(`There is an upload with this checksum of ${same.size} bytes`);
    if (same !== undefined) return same;
    const now = new Date();
    const upload = Object.assign(new ResumableUploadEntity(), {
      id: newUuid(), fileId: file.id, versionId: newUuid(), blobKey: `files/${newUuid()}`, size, checksum, contentType, contentEncoding, tags, userAttributes, received: NOTHING_RECEIVED,
      createdAt: now, createdById: ctx.callerId, expiresAt: new Date(now.getTime() + this.settings.UPLOAD_EXPIRY_SECONDS * 1_000),
    });
    await this.records.uploads.insert(tx, upload);
    // What is announced takes its room at once: uploads under way cannot pass the limit together.
    await this.quota.require(tx, [{ namespaces: file.namespaces, bytes: size }]);
    return upload;
  }
}

function pendingFile(ctx: RequestContext, place: Place, { name, tags = [], userAttributes = {} }: ResumableDraft): FileEntity {
  const columns = { id: newUuid(), name, type: 'file' as const, namespaces: place.namespaces, parentId: place.parentId, tags, userAttributes, status: 'UPLOAD_PENDING' as const };
  return Object.assign(new FileEntity(), columns, { tipId: null, tip: null, nextVersion: 1, revision: 1 }, authoredBy(ctx, new Date()));
}
