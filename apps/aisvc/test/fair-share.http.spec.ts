import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createService, FairShare } from '@twinyard/service-kit';
import { createTestDatabase, expectShares, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import request from 'supertest';
import { service } from '../src/service';

const NS = 'house_a1B2c3D4';
const OTHER = 'other_a1B2c3D4';

describe('beside a tenant that takes all it can get', () => {
  let passport: FakePassport;
  let databases: TestDatabase[];
  let app: NestFastifyApplication;

  beforeAll(async () => {
    passport = await FakePassport.start();
    databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    app = await createService(service, testSettings(passport, databases[0] as TestDatabase, databases[1] as TestDatabase));
    await app.listen(0, '127.0.0.1');
    await passport.grant('owner', NS, ['*']);
    await passport.grant('stranger', OTHER, ['*']);
  });
  afterAll(async () => {
    await app?.close();
    await passport?.stop();
    await Promise.all((databases ?? []).map((database) => database.drop()));
  });

  it('what another asks is answered', async () => {
    const teams = async (subject: string, nsfilter: string) => {
      const token = await passport.token(subject);
      return (await request(app.getHttpServer()).get('/aisvc/api/v1/teams').query({ nsfilter }).set('authorization', `Bearer ${token}`)).status;
    };
    await expectShares({ places: app.get(FairShare, { strict: false }), tenant: NS, ask: () => teams('owner', NS), askAsOther: () => teams('stranger', OTHER) });
  });
});
