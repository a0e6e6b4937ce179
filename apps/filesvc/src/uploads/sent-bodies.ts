import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { UnreadBodies } from '@twinyard/auth';
import { type PaceSettings, paceTermsOf } from '@twinyard/service-kit';
import { FILESVC_SETTINGS } from '../config';
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
  private readonly multipart: MultipartBodies;

  constructor(@Inject(FILESVC_SETTINGS) private readonly settings: PaceSettings) {
    super();
    this.multipart = new MultipartBodies(settings);
  }

  override takes(contentType: string | undefined): boolean {
    return isOffsetStream(contentType) || this.multipart.takes(contentType);
  }

  override digestOf(request: IncomingMessage): string | undefined {
    return digests.get(request) ?? this.multipart.digestOf(request);
  }

  override async read(request: IncomingMessage): Promise<string> {
    if (!isOffsetStream(request.headers['content-type'])) return this.multipart.read(request);
    const hash = createHash('sha256');
    for await (const chunk of sentBytes(request, paceTermsOf(this.settings))) hash.update(chunk);
    return hash.digest('base64url');
  }
}
