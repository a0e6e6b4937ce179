import { Inject, Injectable } from '@nestjs/common';
import { type RequestContext, tenantOf } from '@twinyard/auth';
import { isRefusal, ServiceError } from '@twinyard/conventions';
import { FailedMember, type GroupBounds, GroupCommit, type Outcome, type TypeOrmTx } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../../config';
import type { FileEntity } from '../../files/file.entity';
import type { UploadDraft } from '../../files/file-draft.dto';
import { placesOf } from '../../files/file-names.repository';
import { NewFiles } from '../../files/new-files';
import { type Place, Placement } from '../../files/placement';
import { UploadTransactions } from '../upload-transactions';
import { UploadAccounts } from './upload-accounts';
import { byName, tooLate, type Upload, UploadRecords } from './upload-records';

/** What uploads share a transaction; more of them would keep the first waiting for the last. The weight is that of what they say of their files, in characters. */
const TOGETHER: GroupBounds = { members: 64, weight: 250_000 };

/** Uploads of one organization to one place: the places of the service are shared out by organization. */
const groupOf = (ctx: RequestContext, draft: UploadDraft) => JSON.stringify([tenantOf(ctx), [...draft.namespaces].sort(), placesOf(draft)]);

const weightOf = ({ tags = [], userAttributes = {} }: UploadDraft) => JSON.stringify([tags, userAttributes]).length;

/** New files that are sent one a request: those that come to a place while others are made there are made by the next transaction, all at once (`GroupCommit`). */
@Injectable()
export class JointUploads {
  private readonly groups = new GroupCommit<Upload, FileEntity | undefined>(TOGETHER, (uploads) => this.commit(uploads));

  constructor(
    private readonly placement: Placement,
    private readonly newFiles: NewFiles,
    private readonly records: UploadRecords,
    private readonly transactions: UploadTransactions,
    private readonly accounts: UploadAccounts,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'REQUESTS_WAITING'>,
  ) {}

  /** `undefined`, and nothing is made, where it turns out not to be a new file: its name is taken, or the caller may make nothing there. */
  async make(upload: Upload): Promise<FileEntity | undefined> {
    const { ctx, draft } = upload.by;
    const group = groupOf(ctx, draft);
    if (this.groups.pending(group) >= this.settings.REQUESTS_WAITING) throw new ServiceError('too_many_requests', 'Too many uploads to this place wait already', { retryAfter: 1 });
    return this.groups.run(group, upload, weightOf(draft));
  }

  private commit(uploads: readonly Upload[]): Promise<readonly Outcome<FileEntity | undefined>[]> {
    const [{ by: { ctx, draft } }] = uploads as [Upload];
    return this.transactions.run(ctx, (tx) => this.makeAll(tx, draft, uploads));
  }

  private async makeAll(tx: TypeOrmTx, draft: UploadDraft, uploads: readonly Upload[]): Promise<readonly Outcome<FileEntity | undefined>[]> {
    const place = await this.newFiles.openPlace(tx, draft);
    const made = await this.records.makeFiles(tx, place, this.newOnes(place, uploads), (upload) => new FailedMember(uploads.indexOf(upload), tooLate()));
    await this.accounts.settle(tx, made);
    for (const [{ by }, { file }] of made) await by.finish?.(tx, [file]);
    return uploads.map((upload) => ({ status: 'fulfilled', value: made.get(upload)?.file }));
  }

  /** The first of each name, of those who may make something there. */
  private newOnes(place: Place, uploads: readonly Upload[]): Upload[] {
    const names = new Map<string, Upload>();
    for (const upload of uploads) if (!names.has(upload.name) && this.mayMake(place, upload)) names.set(upload.name, upload);
    return [...names.values()].sort(byName);
  }

  private mayMake(place: Place, { by }: Upload): boolean {
    try {
      this.placement.requireUpload(by.ctx, place, undefined);
      return true;
    } catch (error) {
      if (isRefusal(error)) return false;
      throw error;
    }
  }
}
