import { ServiceError } from '@twinyard/conventions';
import { FairShare, type Leave } from '../src/fair-share/fair-share';

const refused = () => new ServiceError('too_many_requests', 'no place');
/** Never, as long as a suite is meant: who still waits at its end is not refused in the midst of another. */
const NEVER_MS = 2 ** 31 - 1;
const make = (terms: Partial<ConstructorParameters<typeof FairShare>[0]> = {}) => (
  new FairShare({ places: 8, share: 0.5, waiting: { requests: 100, bytes: 1_000 }, waitMs: NEVER_MS, ...terms })
);

/** As many places as a tenant gets without waiting. */
function takeAll(places: FairShare, tenant: string): Leave[] {
  const held: Leave[] = [];
  try {
    for (;;) held.push(places.enterNow(tenant, refused));
  } catch {
    return held;
  }
}

describe('places by tenant', () => {
  it('give a tenant that is alone its share, each that comes of what is left, and one to all of them', () => {
    const places = make();
    expect(['a', 'b', 'c', 'd'].map((tenant) => takeAll(places, tenant).length)).toEqual([4, 2, 1, 1]);
    expect([places.running, takeAll(places, 'e').length]).toEqual([8, 0]);
  });

  it.each([[2, 0.6], [3, 0.9], [2, 0.9]])('keep the last of %d for others, also where one may have %f of them', (count, share) => {
    const places = make({ places: count, share });
    expect([takeAll(places, 'greedy').length, takeAll(places, 'good').length]).toEqual([count - 1, 1]);
  });

  it('are taken without waiting, and left once, however often that is said', async () => {
    const places = make();
    const leave = places.enter('a');
    expect(leave).toBeInstanceOf(Function);
    (leave as Leave)();
    (leave as Leave)();
    expect(places.running).toBe(0);
    await expect(places.run('a', () => Promise.reject(new Error('it fails')))).rejects.toThrow('it fails');
    expect(places.running).toBe(0);
  });

  it('are waited for by work that holds no more than what waits may', async () => {
    const places = make({ places: 2, waiting: { requests: 100, bytes: 10 } });
    const leave = places.enterNow('a', refused);
    const work = () => Promise.resolve('done');
    const waiting = [places.run('a', work, 6), places.run('a', work, 4), places.run('a', work)];
    await expect(places.run('a', work, 1)).rejects.toMatchObject({ status: 429 });
    leave();
    expect(await Promise.all(waiting)).toEqual(['done', 'done', 'done']);
  });

  it('are given to waiting tenants in turn, whoever has asked more often', async () => {
    const places = make({ places: 2 });
    const [first, second] = [places.enterNow('a', refused), places.enterNow('b', refused)];
    const order: string[] = [];
    const ask = async (tenant: string) => {
      const leave = await places.enter(tenant);
      order.push(tenant);
      leave();
    };
    const all = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(ask);
    expect(places.waiting).toBe(7);
    first();
    second();
    await Promise.all(all);
    expect(order.indexOf('c')).toBeLessThan(4);
    expect([order.indexOf('b'), order.length, places.waiting, places.running]).toEqual([expect.any(Number), 7, 0, 0]);
    expect(order.indexOf('b')).toBeLessThan(4);
  });

  it('are not given to one that holds many while another has none, in whatever order they asked', async () => {
    const places = make({ places: 4 });
    const held = takeAll(places, 'a');
    const waiting = Array.from({ length: 10 }, () => places.enter('a'));
    const others = takeAll(places, 'b');
    const leave = await places.enter('c');
    expect([held.length, others.length, places.running]).toEqual([2, 1, 4]);
    held.forEach((one) => one());
    const admitted = await waiting[0];
    expect(places.running).toBeLessThanOrEqual(4);
    expect(await places.enter('d')).toBeInstanceOf(Function);
    [admitted, leave, ...others].forEach((one) => one?.());
  });

  it('are waited for by a bounded number, of bounded weight, for a bounded time', async () => {
    const places = make({ waiting: { requests: 3, bytes: 100 }, waitMs: 1 });
    const held = takeAll(places, 'a');
    const waiting = [places.enter('a', 60), places.enter('a')].map((one) => Promise.resolve(one).catch((error: ServiceError) => error));
    expect(() => places.enter('a', 60)).toThrow(expect.objectContaining({ status: 429, retryAfter: 1 }));
    waiting.push(Promise.resolve(places.enter('a')).catch((error: ServiceError) => error));
    expect(() => places.enter('a')).toThrow(expect.objectContaining({ status: 429 }));
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ status: 503, retryAfter: 1 })));
    held.forEach((leave) => leave());
    expect([places.running, places.waiting]).toEqual([0, 0]);
    expect(takeAll(places, 'a')).toHaveLength(4);
  });

  it('are given together to who needs several, who is not passed for ever by others that need one', async () => {
    const places = make({ places: 4 });
    const small = [places.enterNow('a', refused), places.enterNow('b', refused)];
    const order: string[] = [];
    const ask = async (tenant: string, count: number) => {
      const leave = await places.enter(tenant, 0, count);
      order.push(tenant);
      return leave;
    };
    const heavy = ask('heavy', 4);
    // There are two places left, and they are kept.
    const late = [ask('c', 1), ask('d', 1), ask('heavy', 9)];
    expect([places.running, places.waiting, takeAll(places, 'e').length]).toEqual([2, 4, 0]);
    small[0]?.();
    expect(order).toEqual([]);
    small[1]?.();
    (await heavy)();
    for (const one of late.slice(0, 2)) (await one)();
    (await late[2])?.();
    expect([order[0], order.length, places.running, places.waiting]).toEqual(['heavy', 4, 0, 0]);
  });

  it('that were kept for one who gives up are given to others', async () => {
    const places = make({ places: 4, waitMs: 20 });
    const [small, other] = [places.enterNow('a', refused), places.enterNow('b', refused)];
    const heavy = Promise.resolve(places.enter('heavy', 0, 4)).catch((error: ServiceError) => error.status);
    const late = places.enter('c');
    expect([await heavy, (await Promise.resolve(late).then((leave) => leave(), (error: ServiceError) => error.status))]).toEqual([503, undefined]);
    [small, other].forEach((leave) => leave());
    expect([places.running, places.waiting, takeAll(places, 'd').length]).toEqual([0, 0, 2]);
  });
});
