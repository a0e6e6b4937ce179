import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';
import { unsaidType } from '../detection/unsaid-type';
import type { UploadDraft } from '../files/file-draft.dto';
import { faultOfName, normaliseName } from '../files/file-name';
import { type Place, Placement } from '../files/placement';
import type { Room } from '../quota/room';
import { type Allow, BlobIntake, type StoredBlob } from './blob-intake';
import { meaningOf, type Part, PART_NAME, readParts } from './multipart';
import { rememberParts } from './multipart-bodies';
import { toContentEncoding } from './part-headers';
import type { ReceivedFile } from './records/upload-records';
import { UploadSafety } from './upload-safety';

/** A part of no more bytes waits in memory for others like it, to be stored with them. */
const SMALL_BYTES = 32 * 1024;
/** So much waits at most. */
const TOGETHER = { parts: 100, bytes: 1024 ** 2 };

/** A part, and what its file will be. */
interface ArrivingFile {
  readonly part: Part;
  readonly name: string;
  readonly contentEncoding: string | null;
}

interface SmallFile extends ArrivingFile {
  readonly bytes: Buffer;
}

/** What has come of a message. */
interface Arrival {
  readonly ctx: RequestContext;
  readonly draft: UploadDraft;
  readonly stored: { readonly of: ArrivingFile; readonly blob: StoredBlob }[];
  readonly waiting: SmallFile[];
  /** Where it goes, as its first part found it: all that is decided by it is asked again at the end. */
  place?: Place;
  /** Names of its parts that something has there. */
  readonly taken: Set<string>;
}

/** Stores what the parts of a message bring: large ones as they come, small ones together. Of a message that fails nothing remains. */
@Injectable()
export class MessageIntake {
  constructor(
    private readonly placement: Placement,
    private readonly intake: BlobIntake,
    private readonly safety: UploadSafety,
  ) {}

  /** In the order of the parts. */
  async receive(ctx: RequestContext, draft: UploadDraft, request: IncomingMessage): Promise<ReceivedFile[]> {
    const arrival: Arrival = { ctx, draft, stored: [], waiting: [], taken: new Set() };
    try {
      for await (const part of readParts(request)) if (part.field === PART_NAME) await this.take(arrival, part, request);
      await this.storeWaiting(arrival);
    } catch (error) {
      await this.intake.discard(arrival.stored.map(({ blob }) => blob));
      throw error;
    }
    rememberParts(request, arrival.stored.map(({ of, blob }) => ({ description: of.part, content: blob })));
    return arrival.stored.map(({ of, blob }) => ({ name: of.name, contentType: of.part.contentType ?? unsaidType(blob.detectedContentType), contentEncoding: of.contentEncoding, blob, wasTaken: arrival.taken.has(of.name) }));
  }

  private async take(arrival: Arrival, part: Part, request: IncomingMessage): Promise<void> {
    const { draft, stored, waiting } = arrival;
    // `_name` names the first part.
    const isFirst = stored.length + waiting.length === 0;
    const name = toName(isFirst ? draft.name ?? part.fileName : part.fileName);
    const { contentEncoding = toContentEncoding(request.headers['content-encoding']) ?? null } = part;
    const file = { part, name, contentEncoding };
    const room = await this.room(arrival);
    const { begin, isAll } = await readBegin(part.body, Math.min(SMALL_BYTES, this.intake.mostOf(room)));
    if (!isAll) {
      await this.storeWaiting(arrival);
      const blob = await this.intake.receive({ contentEncoding: file.contentEncoding, begin, rest: part.body, room }, this.allow(arrival, [name]));
      return void stored.push({ of: file, blob });
    }
    waiting.push({ ...file, bytes: begin });
    if (waiting.length >= TOGETHER.parts || lengthOf(waiting) >= TOGETHER.bytes) await this.storeWaiting(arrival);
  }

  private async storeWaiting(arrival: Arrival): Promise<void> {
    const files = arrival.waiting.splice(0);
    if (files.length === 0) return;
    const blobs = await this.intake.receiveSmall(files, this.allow(arrival, files.map(({ name }) => name)));
    arrival.stored.push(...blobs.map((blob, index) => ({ of: files[index] as ArrivingFile, blob })));
  }

  /** Asked before anything is stored, and again in the transaction that makes the records. */
  private allow(arrival: Arrival, names: readonly string[]): Allow {
    const { ctx, draft } = arrival;
    return {
      ctx,
      ask: async (tx) => {
        const { place, taken } = await this.placement.openForUploads(tx, ctx, { draft, place: arrival.place }, names);
        arrival.place = place;
        for (const name of taken) arrival.taken.add(name);
      },
    };
  }

  /** What is left for the next part: a namespace that is full is not written to. */
  private async room({ draft, stored, waiting }: Arrival): Promise<Room | undefined> {
    const room = await this.safety.quota.room(draft.namespaces);
    return room && { ...room, bytes: Math.max(0, room.bytes - stored.reduce((sum, { blob }) => sum + blob.size, lengthOf(waiting))) };
  }
}

/** All of a small body, or what has come of a larger one when it turns out to be that. */
async function readBegin(body: Readable, limit: number): Promise<{ readonly begin: Buffer; readonly isAll: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) break;
    }
  } catch (error) {
    throw meaningOf(error, body);
  }
  return { begin: Buffer.concat(chunks), isAll: length <= limit };
}

const lengthOf = (files: readonly SmallFile[]) => files.reduce((sum, { bytes }) => sum + bytes.length, 0);

function toName(given: string | undefined): string {
  const fault = given === undefined ? 'is missing' : faultOfName(given);
  if (given === undefined || fault !== undefined) throw invalidField('_name', fault ?? 'is missing');
  return normaliseName(given);
}
