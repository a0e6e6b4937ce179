import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createService, FairShare } from '@twinyard/service-kit';
import { expectShares, type FakePassport, type StartedService, startService } from '@twinyard/testing';
import request from 'supertest';
import { service } from '../src/service';
import { NS } from './events-of-a-story';

describe('beside a caller that takes all it can get', () => {
  let started: StartedService;
  let passport: FakePassport;
  let app: NestFastifyApplication;

  beforeAll(async () => {
    started = await startService((settings) => createService(service, { ...settings, RECONCILE_HOURS: 0 }));
    ({ app, passport } = started);
    for (const reader of ['reader', 'other']) await passport.grant(reader, NS, ['READ'], 'metricsvc:metric:*');
  });
  afterAll(() => started?.stop());

  it('what another asks is answered', async () => {
    const points = async (subject: string) => {
      const token = await passport.token(subject);
      return (await request(app.getHttpServer()).get('/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount').query({ namespace: NS }).set('authorization', `Bearer ${token}`)).status;
    };
    await expectShares({ places: app.get(FairShare, { strict: false }), tenant: 'user reader', ask: () => points('reader'), askAsOther: () => points('other') });
  });
});
