import type { Readable } from 'node:stream';
import type { SenderPace } from './answer-file-bounds';

/** The chunks of a body, from a sender that is held to a pace. Only the time counts in which it is waited for: who takes the chunks may take as long as they like. `tooSlow` is thrown where it sends less. */
export async function* pacedBody(body: Readable, { silenceMs, leastBytesPerSecond }: SenderPace, tooSlow: Error): AsyncGenerator<Buffer> {
  let [waitedMs, came, since] = [0, 0, performance.now()];
  const cut = () => void body.destroy(tooSlow);
  let silence = setTimeout(cut, silenceMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      clearTimeout(silence);
      waitedMs += performance.now() - since;
      came += chunk.length;
      const isToBeJudged = waitedMs >= silenceMs;
      if (isToBeJudged && came * 1_000 < leastBytesPerSecond * waitedMs) throw tooSlow;
      if (isToBeJudged) [waitedMs, came] = [0, 0];
      yield chunk;
      since = performance.now();
      silence = setTimeout(cut, silenceMs);
    }
  } finally {
    clearTimeout(silence);
  }
}
