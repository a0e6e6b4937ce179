import { FairShare } from '@twinyard/service-kit';
import { expectShares } from '@twinyard/testing';
import { NotifiedHouse } from './notified-house';

const NS = 'house_a1B2c3D4';
const OTHER = 'other_a1B2c3D4';

describe('beside a tenant that takes all it can get', () => {
  let house: NotifiedHouse;

  beforeAll(async () => {
    house = await NotifiedHouse.start();
    await house.boot({});
    await house.passport.grant('owner', NS, ['*']);
    await house.passport.grant('stranger', OTHER, ['*']);
  });
  afterAll(() => house?.stop());

  it('what another asks is answered', async () => {
    const groups = async (subject: string, namespace: string) => (await house.call(await house.passport.token(subject), 'get', 'group', namespace)).status;
    await expectShares({ places: house.app.get(FairShare, { strict: false }), tenant: NS, ask: () => groups('owner', NS), askAsOther: () => groups('stranger', OTHER) });
  });
});
