import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { UnreadBodies } from '@twinyard/auth';
import { isOffsetStream } from '../resumable/tus-refusal';
import { MultipartBodies } from './multipart-bodies';
import { sentBytes } from './sent-bytes';

const digests = new WeakMap<IncomingMessage, string>();
const KEYED = 'idempotency-key';

/** To be updated with the bytes of a request that may come again; nothing, when it has no key. */
export const digestWanted = ({ headers }: IncomingMessage): Hash | undefined => (headers[KEYED] === undefined ? undefined : createHash('sha256'));

/** Remembers what a request said while it is being answered. */
export const rememberDigest = (request: IncomingMessage, hash: Hash): void => void digests.set(request, hash.digest('base64url'));

/** Bodies that are left on the line for whoever keeps them: multipart messages, and pieces of uploads. */
@Injectable()
export class SentBodies extends UnreadBodies {
  private readonly multipart = new MultipartBodies();

  override takes(contentType: string | undefined): boolean {
    return isOffsetStream(contentType) || this.multipart.takes(contentType);
  }

  override digestOf(request: IncomingMessage): string | undefined {
    return digests.get(request) ?? this.multipart.digestOf(request);
  }

  override async read(request: IncomingMessage): Promise<string> {
    if (!isOffsetStream(request.headers['content-type'])) return this.multipart.read(request);
    const hash = createHash('sha256');
    for await (const chunk of sentBytes(request)) hash.update(chunk);
    return hash.digest('base64url');
  }
}
