import type { PlatformHttp } from '../http/platform-http';

const PARTIAL_CONTENT = 206;

/**
 * Bytes for a reader that takes its time: a line that breaks meanwhile, or is cut since nobody reads, is taken up where it was.
 * `open`: an answer with the bytes from there on (`Range`), or with all of them.
 */
export async function* resumedBytes(http: PlatformHttp, open: (from: number) => Promise<Response>): AsyncGenerator<Uint8Array, void> {
  let position = 0;
  let line: AsyncGenerator<Uint8Array> | undefined;
  const next = () => http.retrying(async () => {
    try {
      line ??= bytesFrom(position, await open(position), http);
      return await line.next();
    } catch (error) {
      line = undefined;
      throw error;
    }
  });
  try {
    for (;;) {
      const { done, value } = await next();
      if (done === true) return;
      position += value.byteLength;
      yield value;
    }
  } finally {
    await line?.return(undefined);
  }
}

/** Of what filesvc decodes there are no ranges: it begins anew, and what was read is passed over. */
async function* bytesFrom(position: number, response: Response, http: PlatformHttp): AsyncGenerator<Uint8Array> {
  let known = response.status === PARTIAL_CONTENT ? 0 : position;
  for await (const chunk of http.bytes(response)) {
    const rest = chunk.subarray(Math.min(known, chunk.byteLength));
    known -= chunk.byteLength - rest.byteLength;
    if (rest.byteLength > 0) yield rest;
  }
}
