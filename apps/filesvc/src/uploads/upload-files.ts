import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';
import type { FileEntity } from '../files/file.entity';
import type { UploadDraft } from '../files/file-draft.dto';
import { faultOfName, normaliseName } from '../files/file-name';
import { type Place, Placement, requireWithinFilter } from '../files/placement';
import type { Room } from '../quota/room';
import { BlobIntake } from './blob-intake';
import { type Part, PART_NAME, readParts } from './multipart';
import { rememberParts, type SentPart } from './multipart-bodies';
import { toContentEncoding, UNKNOWN_TYPE } from './part-headers';
import { KeepUploads } from './keep-uploads';
import { UploadSafety } from './upload-safety';
import type { ReceivedFile, ScannedFile } from './upload-records';

interface ArrivingPart {
  readonly part: Part;
  readonly request: IncomingMessage;
  readonly room: Room | undefined;
  readonly seen: SeenPlace;
}

/** Where a message goes, as its first part found it: all that is decided by it is asked again at the end. */
interface SeenPlace {
  place?: Place;
}

/**
 * Multipart upload. The bytes are stored first, each part streamed to the store; then one transaction makes all records. Whatever
 * fails, the client's line included, nothing of the request remains.
 */
@Injectable()
export class UploadFiles {
  constructor(
    private readonly placement: Placement,
    private readonly intake: BlobIntake,
    private readonly keepUploads: KeepUploads,
    private readonly safety: UploadSafety,
  ) {}

  async run(ctx: RequestContext, draft: UploadDraft, request: IncomingMessage): Promise<FileEntity[]> {
    requireWithinFilter(ctx, draft.namespaces);
    const received: ReceivedFile[] = [];
    const sent: SentPart[] = [];
    const seen: SeenPlace = {};
    try {
      for await (const part of readParts(request, this.safety.line)) {
        if (part.field !== PART_NAME) continue;
        const file = await this.receive(ctx, nextDraft(draft, received.length), { part, request, seen, room: await this.room(draft, received) });
        received.push(file);
        sent.push({ description: part, content: file.blob });
      }
      rememberParts(request, sent);
      if (received.length === 0) throw invalidField(PART_NAME, 'is missing');
      const scanned: ScannedFile[] = [];
      for (const file of received) scanned.push({ ...file, quarantinedFor: await this.safety.scan.findIn(file.blob) });
      return await this.keepUploads.run(ctx, draft, scanned);
    } catch (error) {
      await this.intake.discard(received.map(({ blob }) => blob));
      throw error;
    }
  }

  private async receive(ctx: RequestContext, draft: UploadDraft, { part, request, room, seen }: ArrivingPart): Promise<ReceivedFile> {
    const name = toName(draft.name ?? part.fileName);
    const { contentEncoding = toContentEncoding(request.headers['content-encoding']) ?? null } = part;
    const blob = await this.intake.receive(part.body, {
      contentEncoding, room,
      // Asked before the bytes flow, and again in the transaction that makes the records.
      allow: async (tx) => {
        seen.place ??= await this.placement.open(tx, draft);
        this.placement.requireUpload(ctx, seen.place, await this.placement.occupant(tx, seen.place, name));
      },
    });
    return { name, contentType: part.contentType ?? UNKNOWN_TYPE, contentEncoding, blob };
  }

  /** What is left for the next part: a namespace that is full is not written to. */
  private async room({ namespaces }: UploadDraft, received: readonly ReceivedFile[]): Promise<Room | undefined> {
    const room = await this.safety.quota.room(namespaces);
    return room && { ...room, bytes: Math.max(0, room.bytes - received.reduce((sum, { blob }) => sum + blob.size, 0)) };
  }
}

/** `_name` names the first part. */
function nextDraft({ name, ...place }: UploadDraft, partsBefore: number): UploadDraft {
  return name === undefined || partsBefore > 0 ? place : { ...place, name };
}

function toName(given: string | undefined): string {
  const fault = given === undefined ? 'is missing' : faultOfName(given);
  if (given === undefined || fault !== undefined) throw invalidField('_name', fault ?? 'is missing');
  return normaliseName(given);
}
