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
