import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { UnreadBodies } from '@twinyard/auth';
import type { ObjectDigest } from '@twinyard/blobs';
import { isMultipart, meaningOf, PART_NAME, readParts } from './multipart';
import type { PartDescription } from './part-headers';

/** A part as its sender gave it. */
export interface SentPart {
  readonly description: PartDescription;
  readonly content: ObjectDigest;
}

const digests = new WeakMap<IncomingMessage, string>();

/** Remembers what a message said while it is being answered. */
export function rememberParts(request: IncomingMessage, parts: readonly SentPart[]): void {
  digests.set(request, digestOf(parts));
}

/** Files in multipart messages: what they are called, what they say that they are, and their bytes; not what they are framed by. */
@Injectable()
export class MultipartBodies extends UnreadBodies {
  override takes(contentType: string | undefined): boolean {
    return isMultipart(contentType);
  }

  override digestOf(request: IncomingMessage): string | undefined {
    return digests.get(request);
  }

  override async read(request: IncomingMessage): Promise<string> {
    const parts: SentPart[] = [];
    for await (const { body, ...description } of readParts(request)) {
      if (description.field === PART_NAME) parts.push({ description, content: await digestOfContent(body) });
    }
    return digestOf(parts);
  }
}

async function digestOfContent(body: Readable): Promise<ObjectDigest> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
  } catch (error) {
    throw meaningOf(error, body);
  }
  return { size, sha256: hash.digest('hex') };
}

function digestOf(parts: readonly SentPart[]): string {
  const said = parts.map(({ description: { fileName, contentType, contentEncoding }, content: { size, sha256 } }) => [fileName ?? null, contentType ?? null, contentEncoding === undefined ? null : [contentEncoding], size, sha256]);
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}
