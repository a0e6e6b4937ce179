import { FairShare } from '@twinyard/service-kit';
import { expectShares } from '@twinyard/testing';
import { type PassportApp, startPassport } from './passport-app';
import { newPerson } from './tenancy';

describe('beside a caller that takes all it can get', () => {
  let passport: PassportApp;
  beforeAll(async () => { passport = await startPassport(); });
  afterAll(() => passport?.stop());

  it('what another asks is answered', async () => {
    const [one, other] = [await newPerson(passport, 'Mallory'), await newPerson(passport, 'Alice')];
    const places = passport.app.get(FairShare, { strict: false });
    await expectShares({ places, tenant: `user ${one.id}`, ask: async () => (await one.get('/users/me')).status, askAsOther: async () => (await other.get('/users/me')).status });
  });
});
