import { PassingFailure } from '../platform-error';

/** A body that breaks off is a failure of the network. */
export async function received<T>(body: Promise<T>): Promise<T> {
  try {
    return await body;
  } catch (error) {
    throw new PassingFailure('The answer of a service broke off', undefined, { cause: error });
  }
}

/** The bytes of an answer as they come; `took` hears how many. */
export async function* chunksOf(response: Response, took: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await received(reader.read());
      if (done) return;
      took(value.byteLength);
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** All of them, where there are no more than `most`; else what `tooMany` says is thrown. */
export async function allOf(chunks: AsyncIterable<Uint8Array>, most: number, tooMany: () => Error): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > most) throw tooMany();
    kept.push(chunk);
  }
  return Buffer.concat(kept);
}
