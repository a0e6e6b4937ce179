import { FairShare, type Leave } from './fair-share';

/** Whose work is to enter (the first one's), and until when it wants to. */
export interface Entering {
  readonly namespaces: readonly string[];
  readonly signal: AbortSignal;
}

/** Places for work that may be given up, until they are left. Rejects with the reason of the signal, where that comes before its turn. */
export function enterPlaces(share: FairShare, { namespaces: [tenant = ''], signal }: Entering, places = 1): Promise<Leave> {
  return new Promise((resolve, reject) => {
    const entered = Promise.resolve(share.enter(tenant, 0, places));
    const giveUp = () => {
      reject(signal.reason as Error);
      entered.then((leave) => leave(), () => undefined);
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void entered.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/** Does the work when it has its places. */
export async function inPlaces<T>(share: FairShare, who: Entering, work: () => Promise<T>, places = 1): Promise<T> {
  const leave = await enterPlaces(share, who, places);
  try {
    return await work();
  } finally {
    leave();
  }
}

/** Of two places one tenant may hold one; who has both is alone. */
const BOTH = 2;
const A_DAY_MS = 86_400_000;

/** Work that is done one at a time. Tenants take turns, and wait as long as that takes. */
export class OneAtATime {
  private readonly share = new FairShare({ places: BOTH, share: 0.5, waiting: { requests: 1_000, bytes: 0 }, waitMs: A_DAY_MS });

  run<T>(who: Entering, work: () => Promise<T>): Promise<T> {
    return inPlaces(this.share, who, work, BOTH);
  }
}
