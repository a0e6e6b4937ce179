import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createService, FairShare } from '@twinyard/service-kit';
import { createTestDatabase, expectShares, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import request from 'supertest';
import { service } from '../src/service';
import { NS } from './events-of-a-story';

describe('beside a caller that takes all it can get', () => {
  let passport: FakePassport;
  let databases: TestDatabase[];
  let app: NestFastifyApplication;

  beforeAll(async () => {
    passport = await FakePassport.start();
    databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    app = await createService(service, { ...testSettings(passport, databases[0] as TestDatabase, databases[1] as TestDatabase), RECONCILE_HOURS: 0 });
    await app.listen(0, '127.0.0.1');
    for (const reader of ['reader', 'other']) await passport.grant(reader, NS, ['READ'], 'metricsvc:metric:*');
  });
  afterAll(async () => {
    await app?.close();
    await passport?.stop();
    await Promise.all((databases ?? []).map((database) => database.drop()));
  });

  it('what another asks is answered', async () => {
    const points = async (subject: string) => {
      const token = await passport.token(subject);
      return (await request(app.getHttpServer()).get('/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount').query({ namespace: NS }).set('authorization', `Bearer ${token}`)).status;
    };
    await expectShares({ places: app.get(FairShare, { strict: false }), tenant: 'user reader', ask: () => points('reader'), askAsOther: () => points('other') });
  });
});
