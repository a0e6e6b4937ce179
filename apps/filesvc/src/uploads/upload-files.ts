import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';
import type { FileEntity } from '../files/file.entity';
import type { UploadDraft } from '../files/file-draft.dto';
import { requireWithinFilter } from '../files/placement';
import { BlobIntake } from './blob-intake';
import { KeepUploads } from './records/keep-uploads';
import { MessageIntake } from './message-intake';
import { PART_NAME } from './multipart';
import type { ScannedFile } from './records/upload-records';
import { UploadSafety } from './upload-safety';

/**
 * Multipart upload. The bytes are stored first; then one transaction makes all records. Whatever fails, the client's line included,
 * nothing of the request remains.
 */
@Injectable()
export class UploadFiles {
  constructor(
    private readonly messages: MessageIntake,
    private readonly intake: BlobIntake,
    private readonly keepUploads: KeepUploads,
    private readonly safety: UploadSafety,
  ) {}

  async run(ctx: RequestContext, draft: UploadDraft, request: IncomingMessage): Promise<FileEntity[]> {
    requireWithinFilter(ctx, draft.namespaces);
    const received = await this.messages.receive(ctx, draft, request);
    if (received.length === 0) throw invalidField(PART_NAME, 'is missing');
    try {
      const scanned: ScannedFile[] = [];
      for (const file of received) scanned.push({ ...file, quarantinedFor: await this.safety.scan.findIn(file.blob) });
      return await this.keepUploads.run(ctx, draft, scanned);
    } catch (error) {
      await this.intake.discard(received.map(({ blob }) => blob));
      throw error;
    }
  }
}
