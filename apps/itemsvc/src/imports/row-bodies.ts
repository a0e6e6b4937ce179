import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { UnreadBodies } from '@twinyard/auth';
import { digestOfRows, UNPARSED } from './upload-body';

/** Files of rows are left on the line until it is known who sends them: under an `Idempotency-Key` they are told apart by all of their bytes. */
@Injectable()
export class RowBodies extends UnreadBodies {
  override takes(contentType: string | undefined): boolean {
    return contentType === UNPARSED;
  }

  override digestOf(request: IncomingMessage): string | undefined {
    return digestOfRows(request);
  }

  override async read(request: IncomingMessage): Promise<string> {
    const hash = createHash('sha256');
    for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) hash.update(part);
    return hash.digest('base64url');
  }
}
