import { unavailable } from '@twinyard/conventions';
import type { FairShare, Leave } from '@twinyard/service-kit';
import { eventually } from './eventually';

export interface SharedService {
  readonly places: FairShare;
  /** As the service names it: a namespace, or `user <id>` where requests are about none. */
  readonly tenant: string;
  /** A request of that tenant, and one of another: the status of its answer. */
  readonly ask: () => Promise<number>;
  readonly askAsOther: () => Promise<number>;
}

/** While a tenant holds all places that it may, what else it asks waits, and what another asks is answered. */
export async function expectShares({ places, tenant, ask, askAsOther }: SharedService): Promise<void> {
  const held = takeAll(places, tenant);
  expect(held.length).toBeGreaterThan(0);
  const late = ask();
  try {
    await eventually(() => expect(places.waiting).toBe(1));
    expect(await askAsOther()).toBe(200);
    expect(places.waiting).toBe(1);
  } finally {
    for (const leave of held) leave();
  }
  expect(await late).toBe(200);
  await eventually(() => expect([places.running, places.waiting]).toEqual([0, 0]));
}

function takeAll(places: FairShare, tenant: string): Leave[] {
  const held: Leave[] = [];
  try {
    for (;;) held.push(places.enterNow(tenant, () => unavailable('no place')));
  } catch {
    return held;
  }
}
