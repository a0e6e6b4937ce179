import { randomUUID } from 'node:crypto';
import { PASSPORT_INTERNAL } from '@twinyard/auth';
import { type PassportApp, startPassport } from './passport-app';

const PRINCIPAL = { type: 'user', id: randomUUID(), tokenId: 't', scopes: ['read'] };

/** A body that each takes. */
const BODIES: Readonly<Record<Exclude<keyof typeof PASSPORT_INTERNAL, 'origins'>, Readonly<Record<string, unknown>>>> = {
  sync: { instance: randomUUID(), service: 'itemsvc', acked: -1 },
  resolve: { service: 'itemsvc', principal: PRINCIPAL },
  runTokens: { userId: randomUUID(), scopes: ['read'], runId: randomUUID(), namespaces: ['ns_12345678'] },
  assignableProfile: { principal: PRINCIPAL, profileId: randomUUID(), namespaces: ['ns_12345678'] },
  runSecrets: { principal: { ...PRINCIPAL, run: { id: randomUUID(), namespaces: ['ns_12345678'] } }, names: ['key'] },
  users: { ids: [randomUUID()] },
  namespaces: { namespaces: ['ns_12345678'] },
};
const OPTIONAL = ['userId'];
const WRONG: readonly unknown[] = [null, 7, '', {}, [[]], { type: 'nobody' }];

describe('what the other services ask', () => {
  let passport: PassportApp;
  beforeAll(async () => void (passport = await startPassport()));
  afterAll(() => passport?.stop());

  const ask = (name: keyof typeof BODIES, body: unknown) => fetch(passport.baseUrl + PASSPORT_INTERNAL[name], {
    method: 'POST', headers: { authorization: `Bearer ${passport.settings.SERVICE_TOKEN}`, 'content-type': 'application/json' }, body: JSON.stringify(body),
  });

  describe.each(Object.keys(BODIES) as (keyof typeof BODIES)[])('%s', (name) => {
    const whole = BODIES[name];

    it('is answered where it is whole, also with what a later version sends beside it', async () => {
      expect((await ask(name, whole)).status).toBe(200);
      expect((await ask(name, { ...whole, ofLaterVersion: true })).status).toBe(200);
    });

    it('is refused by the name of the field where one is missing or of another kind', async () => {
      for (const field of Object.keys(whole)) {
        const { [field]: _left, ...rest } = whole;
        const bodies = [...(OPTIONAL.includes(field) ? [] : [rest]), ...WRONG.filter((wrong) => typeof wrong !== 'number' || typeof whole[field] !== 'number').map((wrong) => ({ ...whole, [field]: wrong }))];
        for (const body of bodies) {
          const answer = await ask(name, body);
          expect([body, answer.status, await answer.json()]).toEqual([body, 400, expect.objectContaining({ code: 'invalid', message: expect.stringContaining(field) })]);
        }
      }
    });

    it.each([undefined, null, [], 'text', 7])('is refused where the body is %j', async (body) => {
      expect((await ask(name, body)).status).toBe(400);
    });
  });

  it('finds nobody by an id that is none', async () => {
    expect((await ask('users', { ids: [''] })).status).toBe(200);
    for (const id of ['nonsense', '\u0000', 'x'.repeat(500)]) {
      for (const type of ['user', 'client']) {
        const answer = await ask('resolve', { service: 'itemsvc', principal: { ...PRINCIPAL, type, id, tokenId: '' } });
        expect([id, answer.status]).toEqual([id, id === '\u0000' ? 400 : 200]);
      }
      expect((await ask('users', { ids: [id] })).status).toBe(id === '\u0000' ? 400 : 200);
    }
  });
});
