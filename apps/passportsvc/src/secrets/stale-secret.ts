import { conflict } from '@twinyard/conventions';

const MAX_ATTEMPTS = 5;

/** What a write was made ready with is out of date: the record was changed, or its data key replaced, in between. */
export class StaleSecret extends Error {
  constructor(readonly namespaces: readonly string[], options?: ErrorOptions) {
    super('The secret or its data key is out of date', options);
    this.name = 'StaleSecret';
  }
}

/** Does it again with what is there now. `write` reads all that it needs itself. */
export async function whileStale<R>(write: () => Promise<R>, refresh: (stale: StaleSecret) => void): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StaleSecret)) throw error;
      if (attempt === MAX_ATTEMPTS) throw conflict('The secret is being changed by others');
      refresh(error);
    }
  }
}
