import type { AnswerStore } from '@twinyard/service-kit';

/** What a process does behind its transactions for the answer to be kept is never done meanwhile, as if it had been killed there. */
export async function dyingBehind<T>(store: AnswerStore, work: () => Promise<T>): Promise<T> {
  const keep = jest.spyOn(store, 'keep').mockRejectedValue(new Error('killed'));
  try {
    return await work();
  } finally {
    keep.mockRestore();
  }
}

/** As supertest has it. */
export interface SentAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** What belongs to an answer beside its status and its body. */
const KEPT_HEADERS = ['content-type', 'etag', 'location', 'retry-after'];

const keptPartOf = ({ status, text, headers }: SentAnswer) => [status, text, ...KEPT_HEADERS.map((name) => headers[name])];

/** That the repetition of a write that went well was answered from memory, and as the first was. */
export function expectReplay(again: SentAnswer, first: SentAnswer): void {
  expect([first.status < 300, first.headers['idempotent-replayed'] ?? null, again.headers['idempotent-replayed']]).toEqual([true, null, 'true']);
  expect(keptPartOf(again)).toEqual(keptPartOf(first));
}
