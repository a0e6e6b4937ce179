import { FairShare } from '@twinyard/service-kit';
import { expectShares } from '@twinyard/testing';
import { GrantResolver } from '../src/permissions/grant-resolver';
import { type PassportApp, startPassport } from './passport-app';
import { newPerson, newTenant } from './tenancy';

describe('beside a caller that takes all it can get', () => {
  let passport: PassportApp;
  beforeAll(async () => { passport = await startPassport(); });
  afterAll(() => passport?.stop());

  it('what another asks is answered', async () => {
    const [one, other] = [await newPerson(passport, 'Mallory'), await newPerson(passport, 'Alice')];
    const places = passport.app.get(FairShare, { strict: false });
    await expectShares({ places, tenant: `user ${one.id}`, ask: async () => (await one.get('/users/me')).status, askAsOther: async () => (await other.get('/users/me')).status });
  });

  it('every service hears that whoever has many namespaces is one organization', async () => {
    const { owner, inApp, app, organization } = await newTenant(passport, 'House');
    const [workspace] = (await inApp.post('/workspaces', [{ _name: 'Site' }])).body._list as [{ readonly _namespaces: readonly string[] }];
    const namespaces = [...app._namespaces.map(String), ...workspace._namespaces];
    const { effective } = await passport.app.get(GrantResolver, { strict: false }).answer({ type: 'user', id: owner.id, tokenId: '', scopes: ['read', 'write'] }, 'itemsvc');
    expect(namespaces.map((namespace) => effective.organizations?.[namespace])).toEqual(namespaces.map(() => organization._id));
  });
});
