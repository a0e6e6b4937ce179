import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Dicer } from '@fastify/busboy';

export interface MessagePart {
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly bytes: Buffer;
}

/** The parts of a multipart message, as a parser by others finds them. */
export async function readMultipart(contentType: string, body: Buffer): Promise<MessagePart[]> {
  const boundary = /^multipart\/[a-z]+; boundary=([\w-]+)$/.exec(contentType)?.[1] ?? '';
  const parser = new Dicer({ boundary });
  const parts: Promise<MessagePart>[] = [];
  parser.on('part', (part) => {
    const headers = new Promise<MessagePart['headers']>((resolve) => part.once('header', (found) => resolve(found as MessagePart['headers'])));
    parts.push(Promise.all([headers, buffer(part)]).then(([found, bytes]) => ({ headers: found, bytes })));
  });
  await new Promise((resolve, reject) => Readable.from([body]).pipe(parser).once('finish', resolve).once('error', reject));
  return Promise.all(parts);
}
