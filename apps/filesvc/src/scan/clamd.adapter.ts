import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Where clamd listens: a socket of this machine, or a host and port. */
export type ClamdAddress = { readonly path: string } | { readonly host: string; readonly port: number };

/** What a scan found; nothing, when it found nothing. */
export interface ScanVerdict {
  /** Name of the signature. */
  readonly found?: string;
}

/** The content is larger than the scanner takes (`StreamMaxLength` of clamd). */
export class ScanTooLarge extends Error {}

const COMMAND = Buffer.from('zINSTREAM\0');
const END = Buffer.alloc(4);
/** A verdict is a line; whoever sends more is no clamd. */
const MAX_REPLY = 4_096;

/**
 * The scanner's half of a conversation (clamd(8), INSTREAM): "chunks prefixed by the length of the chunk as a 4 byte unsigned integer in
 * network byte order", ended by one of length zero; the answer ends with a NUL since the command did. Rejects with `ScanTooLarge`, or
 * with whatever kept a verdict from coming.
 */
export async function scanByClamd(address: ClamdAddress, body: Readable, silenceMs: number): Promise<ScanVerdict> {
  const socket = connect(address);
  socket.setTimeout(silenceMs, () => socket.destroy(new Error(`the scanner has been silent for ${silenceMs} ms`)));
  const reply = replyOf(socket);
  // The answer decides, also one that comes before all is sent and cuts the line; sending fails then, or stops.
  const sent = send(socket, body).catch((error: unknown) => socket.destroy(error instanceof Error ? error : undefined));
  try {
    return toVerdict(await reply);
  } finally {
    socket.destroy();
    body.destroy();
    await sent;
  }
}

async function send(socket: Socket, body: Readable): Promise<void> {
  await write(socket, COMMAND);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (chunk.length === 0) continue;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    socket.write(length);
    await write(socket, chunk);
  }
  await write(socket, END);
}

const write = (socket: Socket, bytes: Buffer) => new Promise<void>((resolve, reject) => {
  socket.write(bytes, (error) => (error ? reject(error) : resolve()));
});

function replyOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = '';
    socket.setEncoding('latin1').on('data', (text) => {
      reply += String(text);
      if (reply.includes('\0') || reply.length > MAX_REPLY) resolve(reply);
    });
    socket.once('error', reject).once('end', () => resolve(reply)).once('close', () => reject(new Error('the scanner hung up')));
  });
}

function toVerdict(reply: string): ScanVerdict {
  const [text = ''] = reply.split('\0', 1);
  if (text === 'stream: OK') return {};
  const found = /^stream: ([\x21-\x7e]{1,200}) FOUND$/.exec(text)?.[1];
  if (found !== undefined) return { found };
  if (/^INSTREAM size limit exceeded\b/.test(text)) throw new ScanTooLarge('the content is larger than StreamMaxLength of clamd');
  throw new Error(`the scanner's answer is no verdict: ${JSON.stringify(text.slice(0, 200))}`);
}
