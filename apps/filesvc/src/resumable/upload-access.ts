import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField, notFound } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { FileEntity } from '../files/file.entity';
import { FilesRepository } from '../files/files.repository';
import { fileTarget } from '../files/file-target';
import { FileTreeRepository } from '../files/file-tree.repository';
import { Placement } from '../files/placement';
import { UploadTransactions } from '../uploads/upload-transactions';
import type { ResumableUploadEntity } from './resumable-upload.entity';
import { ResumableUploadsRepository } from './resumable-uploads.repository';
import { checksumOf } from './resumable.dto';
import type { UploadCall } from './resumable-query';

export type FoundUpload = { readonly upload: ResumableUploadEntity; readonly whole?: undefined } | { readonly upload?: undefined; readonly whole: number };

/** Which upload a request means, and whether the caller may go on with it. */
@Injectable()
export class UploadAccess {
  constructor(
    private readonly files: FilesRepository,
    private readonly tree: FileTreeRepository,
    private readonly placement: Placement,
    private readonly uploads: ResumableUploadsRepository,
    private readonly transactions: UploadTransactions,
  ) {}

  async require(ctx: RequestContext, call: UploadCall): Promise<ResumableUploadEntity> {
    const { upload } = await this.find(ctx, call);
    if (upload === undefined) throw notFound('upload to the file', call.fileId);
    return upload;
  }

  /** The upload; or how many bytes it had, when the latest version is what it has become. `checksum` may be left out while there is one upload alone. */
  async find(ctx: RequestContext, { fileId, checksum }: UploadCall): Promise<FoundUpload> {
    const { all, file } = await this.transactions.run(ctx, async (tx) => {
      // Before the file: one that ends meanwhile is seen here, or its version there.
      const under = await this.uploads.ofFile(fileId, tx.manager);
      return { all: under, file: await this.requireFile(tx, ctx, fileId) };
    });
    const meant = checksum === undefined ? all : all.filter((upload) => upload.checksum === checksumOf(checksum));
    if (meant.length > 1) throw invalidField('checksum', 'is needed: there are several uploads to this file');
    const [upload] = meant;
    if (upload !== undefined) return { upload };
    // Of an earlier version it is not known whether it is this upload's: the same may have been announced again, and expired.
    if (checksum === undefined || !file.tip || file.tip.sha256 !== checksumOf(checksum)) throw notFound('upload to the file', fileId);
    return { whole: file.tip.size };
  }

  /** A new version needs EDIT on the file; the first one what making it needed. Who may not know of the file does not hear of it. */
  async requireFile(tx: TypeOrmTx, ctx: RequestContext, fileId: string): Promise<FileEntity> {
    const file = await this.files.lock(tx, fileId);
    if (file === undefined || file.type === 'dir') throw notFound('file', fileId);
    const target = fileTarget(file, await this.tree.readAncestors(tx, file.id));
    const isOwn = file.tipId === null && file.createdById === ctx.callerId;
    if (!ctx.access.holds('READ', target) && !isOwn) throw notFound('file', fileId);
    if (file.tipId !== null) ctx.access.require('EDIT', target);
    else this.placement.requireGoOn(ctx, await this.placement.open(tx, file));
    return file;
  }
}
