import { randomUUID } from 'node:crypto';

/** A multipart message of one file (RFC 7578): what stands before its bytes and behind them. What the file is called stands in the address. */
export interface OneFileMessage {
  readonly contentType: string;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** `contentType`: of the file; without one the file service looks for itself. */
export function oneFileMessage(contentType: string | undefined): OneFileMessage {
  const boundary = `twinyard-${randomUUID()}`;
  const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n${type}\r\n`),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  };
}
