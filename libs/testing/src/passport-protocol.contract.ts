import { setImmediate as immediate } from 'node:timers/promises';
import {
  type AssignableProfileRequest, type AssignableProfileResponse, type GrantResolveResponse, type GrantSyncResponse, issuerOf, LEASE_MS, PASSPORT_INTERNAL,
  remoteKeys, type RunSecretsRequest, type RunSecretsResponse, SYNC_HOLD_MS, TokenVerifier, UP_TO_DATE_HEADER, type UsersResponse,
} from '@twinyard/auth';
import { type GrantableAction, newUuid, type Principal } from '@twinyard/conventions';
import { eventually } from './eventually';

/** A passportsvc, real or not, with one active user in it. */
export interface PassportSubject {
  readonly url: string;
  readonly baseUrl: string;
  readonly serviceToken: string;
  readonly userId: string;
  /** A token of that user. */
  token(): Promise<string>;
  /** Grants actions in a namespace to that user; resolves when it is in force everywhere. */
  grant(namespace: string, actions: readonly GrantableAction[], irn: string): Promise<void>;
  /** The id of a new permission profile that lies in these namespaces. */
  addProfile(namespaces: readonly string[]): Promise<string>;
  /** The id of a new secret that lies in these namespaces. */
  addSecret(name: string, value: string, namespaces: readonly string[]): Promise<string>;
  disable(): Promise<void>;
  stop(): Promise<void>;
}

const EVERYTHING = '*:*:*';
const PROFILES = 'passportsvc:permission_profile';

/** What every service relies on when it talks to passportsvc; the fake and the real one are held to the same. */
export function describePassportProtocol(name: string, start: () => Promise<PassportSubject>): void {
  describe(`the protocol between passportsvc and the services: ${name}`, () => {
    let subject: PassportSubject;
    beforeAll(async () => {
      subject = await start();
    });
    afterAll(() => subject?.stop());

    const post = (path: string, body: unknown, token = subject.serviceToken) =>
      fetch(subject.url + path, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const ask = async <T>(path: string, body: unknown) => (await (await post(path, body)).json()) as T;
    const sync = (instance: string, acked: number) => ask<GrantSyncResponse>(PASSPORT_INTERNAL.sync, { instance, service: 'filesvc', acked });
    const principal = (): Principal => ({ type: 'user', id: subject.userId, tokenId: newUuid(), scopes: ['read'] });
    const verdict = async (profileId: string, namespaces: readonly string[], asker: Partial<Principal> = {}) => {
      const request: AssignableProfileRequest = { principal: { ...principal(), scopes: ['read', 'write'], ...asker }, profileId, namespaces };
      return (await ask<AssignableProfileResponse>(PASSPORT_INTERNAL.assignableProfile, request)).verdict;
    };
    const resolve = () => ask<GrantResolveResponse>(PASSPORT_INTERNAL.resolve, { service: 'filesvc', principal: principal() });

    it('is closed to whoever does not know the service token', async () => {
      for (const path of Object.values(PASSPORT_INTERNAL)) expect([path, (await post(path, {}, 'guess')).status]).toEqual([path, 401]);
    });

    it('signs tokens that its published keys verify', async () => {
      const verifier = new TokenVerifier({ baseUrl: subject.baseUrl, keys: remoteKeys(subject.url) });
      expect(await verifier.verify(await subject.token())).toMatchObject({ type: 'user', id: subject.userId, scopes: expect.arrayContaining(['read']) });
      expect(issuerOf(subject.baseUrl)).toBe(`${subject.baseUrl}/passportsvc`);
    });

    it('resets a new instance, and holds its next request until something changes', async () => {
      const instance = newUuid();
      const first = await sync(instance, -1);
      expect(first.reset).toBe(true);
      const started = performance.now();
      expect(await sync(instance, first.seq)).toMatchObject({ seq: first.seq, reset: false, keys: [] });
      expect(performance.now() - started).toBeGreaterThan(SYNC_HOLD_MS * 0.8);
    });

    it('says before the hold that an instance is up to date, and says it to no instance that is not', async () => {
      const head = async (instance: string, acked: number) => {
        const started = performance.now();
        const response = await post(PASSPORT_INTERNAL.sync, { instance, service: 'filesvc', acked });
        const renewed = response.headers.has(UP_TO_DATE_HEADER);
        const afterMs = performance.now() - started;
        const changes = (await response.json()) as GrantSyncResponse;
        return { renewed, afterMs, wholeMs: performance.now() - started, changes };
      };
      const instance = newUuid();
      const first = await head(instance, -1);
      expect(first.renewed).toBe(false);
      // Not with the answer; asked again when this machine was so slow that nobody can tell.
      const second = await eventually(async () => {
        const told = await head(instance, first.changes.seq);
        expect([told.renewed, told.wholeMs - told.afterMs > SYNC_HOLD_MS * 0.1]).toEqual([true, true]);
        return told;
      });
      expect((await head(newUuid(), second.changes.seq - 1)).renewed).toBe(false);
    });

    it('answers grants with the keys under which they become stale, and a number', async () => {
      await subject.grant('one_12345678', ['READ'], EVERYTHING);
      const { seq, keys, effective } = await resolve();
      expect(seq).toBeGreaterThan(0);
      expect(keys).toContain(`user:${subject.userId}`);
      expect(effective).toMatchObject({ active: true, grants: [expect.objectContaining({ namespace: 'one_12345678', actions: ['READ'], irn: '*:*:*' })] });
    });

    it('does not let a change return before an instance with a lease has acknowledged it', async () => {
      const instance = newUuid();
      // Before the lease begins: whoever answers later than its length after this may have seen it end.
      const leaseFrom = performance.now();
      const { seq } = await sync(instance, -1);
      const waiting = sync(instance, seq);
      const change = subject.grant('two_12345678', ['READ'], EVERYTHING).then(() => performance.now() - leaseFrom);
      // Asked again when this machine was so slow that the hold was over before the change came.
      let told = await waiting;
      while (told.seq === seq) told = await sync(instance, seq);
      expect([told.seq > seq, told.reset || told.keys.includes(`user:${subject.userId}`)]).toEqual([true, true]);
      // It waits, unless this machine was so slow that the lease is over.
      const afterMs = await Promise.race([change, immediate(undefined)]);
      expect(afterMs === undefined || afterMs >= LEASE_MS).toBe(true);
      const acknowledged = sync(instance, told.seq);
      await change;
      await acknowledged;
    });

    it('does not wait for an instance longer than its lease', async () => {
      await sync(newUuid(), -1);
      const started = performance.now();
      await subject.grant('three_12345678', ['READ'], EVERYTHING);
      // The rest is for a slow machine: without the lease it would wait for ever.
      expect(performance.now() - started).toBeLessThan(LEASE_MS + 60_000);
    });

    it('tells about users that there are, and about no others', async () => {
      const { users } = await ask<UsersResponse>(PASSPORT_INTERNAL.users, { ids: [subject.userId, newUuid(), 'nonsense'] });
      expect(users).toEqual([expect.objectContaining({ id: subject.userId, email: expect.stringContaining('@'), emailVerified: expect.any(Boolean), disabled: false })]);
    });

    it('lets a permission profile be assigned with ASSIGN on it; one that is seen is forbidden, and any other the same as none', async () => {
      const own = 'own_12345678';
      const [assigned, both, seen, hidden] = [await subject.addProfile([own]), await subject.addProfile([own]), await subject.addProfile([own]), await subject.addProfile([own])];
      await subject.grant(own, ['ASSIGN'], `${PROFILES}:${assigned}`);
      await subject.grant(own, ['READ', 'ASSIGN'], `${PROFILES}:${both}`);
      await subject.grant(own, ['READ'], `${PROFILES}:${seen}`);
      const verdicts = async (asker?: Partial<Principal>) => [
        await verdict(assigned, [own], asker), await verdict(both, [own], asker), await verdict(seen, [own], asker), await verdict(hidden, [own], asker),
      ];
      expect(await verdicts()).toEqual(['assignable', 'assignable', 'forbidden', 'unknown']);
      expect(await verdicts({ scopes: ['read'] })).toEqual(['unknown', 'forbidden', 'forbidden', 'unknown']);
      expect(await verdicts({ run: { id: newUuid(), namespaces: [own] } })).toEqual(['assignable', 'assignable', 'forbidden', 'unknown']);
      expect(await verdicts({ run: { id: newUuid(), namespaces: ['another_12345678'] } })).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
    });

    it('does not know a permission profile of another tenant, nor one that is not there', async () => {
      const [tenant, foreign] = ['tenant_12345678', 'foreign_12345678'];
      const [own, theirs] = [await subject.addProfile([tenant]), await subject.addProfile([foreign])];
      await subject.grant(tenant, ['READ', 'ASSIGN'], `${PROFILES}:*`);
      expect(await verdict(own, [tenant])).toBe('assignable');
      const asked: readonly (readonly [string, readonly string[]])[] = [
        [theirs, [tenant]], [theirs, [foreign]], [own, [foreign]], [newUuid(), [tenant]], ['nonsense', [tenant]], [own, []],
      ];
      for (const [id, namespaces] of asked) expect([id, namespaces, await verdict(id, namespaces)]).toEqual([id, namespaces, 'unknown']);
    });

    it('wants a permission profile to lie in all of the namespaces, and the right in each', async () => {
      const [first, second] = ['first_12345678', 'second_12345678'];
      const [inBoth, inFirst] = [await subject.addProfile([first, second]), await subject.addProfile([first])];
      await subject.grant(first, ['READ', 'ASSIGN'], `${PROFILES}:*`);
      expect([await verdict(inBoth, [first]), await verdict(inBoth, [first, second])]).toEqual(['assignable', 'unknown']);
      await subject.grant(second, ['READ'], `${PROFILES}:*`);
      expect([await verdict(inBoth, [first, second]), await verdict(inBoth, [second])]).toEqual(['forbidden', 'forbidden']);
      await subject.grant(second, ['ASSIGN'], `${PROFILES}:${inBoth}`);
      await subject.grant(second, ['ASSIGN'], `${PROFILES}:${inFirst}`);
      expect([await verdict(inBoth, [first, second]), await verdict(inFirst, [first, second])]).toEqual(['assignable', 'unknown']);
    });

    describe('secrets of runs', () => {
      const SECRETS = 'passportsvc:secret';
      const told = async (names: readonly string[], namespaces: readonly string[], asker: Partial<Principal> = {}) => {
        const request: RunSecretsRequest = { principal: { ...principal(), run: { id: newUuid(), namespaces }, ...asker }, names };
        const { secrets } = await ask<RunSecretsResponse>(PASSPORT_INTERNAL.runSecrets, request);
        return secrets.map((secret) => (secret.verdict === 'told' ? secret.value : secret.verdict));
      };

      it('are told where the run may READ them; any other is the same as none', async () => {
        const own = 'keys_12345678';
        const readable = await subject.addSecret('readable', 'open it', [own]);
        await subject.addSecret('hidden', 'nobody is told', [own]);
        await subject.grant(own, ['READ'], `${SECRETS}:${readable}`);
        expect(await told(['readable', 'hidden', 'nothing', 'readable'], [own])).toEqual(['open it', 'unknown', 'unknown']);
        expect(await told(['readable'], [own], { scopes: ['write'] })).toEqual(['unknown']);
        expect(await told(['readable'], [own], { profileId: await subject.addProfile([own]) })).toEqual(['unknown']);
      });

      it('are those of its namespaces, and none without a run', async () => {
        const [here, there] = ['here_12345678', 'there_12345678'];
        for (const [name, namespaces] of [['one', [here]], ['two', [there]], ['both', [here, there]], ['twin', [here]], ['twin', [there]]] as const) await subject.addSecret(name, `value of ${name}`, namespaces);
        for (const namespace of [here, there]) await subject.grant(namespace, ['READ'], `${SECRETS}:*`);
        const names = ['one', 'two', 'both', 'twin'];
        expect(await told(names, [here])).toEqual(['value of one', 'unknown', 'value of both', 'value of twin']);
        expect(await told(names, [here, there])).toEqual(['value of one', 'value of two', 'value of both', 'ambiguous']);
        expect(await ask<RunSecretsResponse>(PASSPORT_INTERNAL.runSecrets, { principal: principal(), names: ['one'] })).toEqual({ secrets: [{ name: 'one', verdict: 'unknown' }] });
      });
    });

    it('says that a disabled user is not active, and may assign nothing', async () => {
      const profile = await subject.addProfile(['last_12345678']);
      await subject.grant('last_12345678', ['ASSIGN'], `${PROFILES}:*`);
      expect(await verdict(profile, ['last_12345678'])).toBe('assignable');
      await subject.disable();
      expect(await verdict(profile, ['last_12345678'])).toBe('unknown');
      expect((await resolve()).effective.active).toBe(false);
    });
  });
}
