import { answerFileBounds } from './answer-file-bounds';

describe('the bounds of answers that become files', () => {
  it('are twice as strict as filesvc is with its own senders, by whichever of its rules is the stricter one', () => {
    const lines = { LINE_SILENCE_SECONDS: 30, LINE_MIN_BYTES_PER_SECOND: 100, SMALL_BODY_SECONDS: 128 };
    expect(answerFileBounds(2, lines)).toEqual({ mostBytes: 2 * 1024 ** 2, pace: { silenceMs: 15_000, leastBytesPerSecond: 1_024 } });
    expect(answerFileBounds(1, { ...lines, LINE_MIN_BYTES_PER_SECOND: 5_000 }).pace.leastBytesPerSecond).toBe(10_000);
  });
});
