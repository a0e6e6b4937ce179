import { FairShare } from '@twinyard/service-kit';
import { expectShares } from '@twinyard/testing';
import { NS, ORCHESTRATORS, OTHER, RunningService } from './running-service';

describe('beside a tenant that takes all it can get', () => {
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start();
    await service.passport.grant('owner', NS, ['*']);
    await service.passport.grant('stranger', OTHER, ['*']);
  });
  afterAll(() => service?.stop());

  it('what another asks is answered', async () => {
    const orchestrators = async (subject: string, namespace: string) => (await service.call(await service.passport.token(subject), 'get', ORCHESTRATORS, namespace)).status;
    await expectShares({ places: service.app.get(FairShare, { strict: false }), tenant: NS, ask: () => orchestrators('owner', NS), askAsOther: () => orchestrators('stranger', OTHER) });
  });
});
