import type { IncomingMessage } from 'node:http';
import type { ServiceError } from '@twinyard/conventions';
import { type LineTerms, SenderPace } from './sender-pace';

/** The body of a request while its sender speaks; ends with an error when it falls silent or only drips, or when `signal` says so. */
export async function* sentBytes(raw: IncomingMessage, line: LineTerms, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const end = () => raw.destroy(signal?.reason instanceof Error ? signal.reason : undefined);
  signal?.addEventListener('abort', end, { once: true });
  raw.setTimeout(line.silenceMs, () => raw.destroy(new Error('the client fell silent')));
  const pace = new SenderPace(raw, line);
  let fault: ServiceError | undefined;
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      fault = pace.heard(chunk.length);
      yield chunk;
      if (fault !== undefined) throw fault;
      pace.wait();
    }
  } finally {
    // Whoever is too slow is to hear that it is.
    if (fault === undefined && !raw.readableEnded) raw.destroy();
    signal?.removeEventListener('abort', end);
    raw.setTimeout(0);
  }
}
