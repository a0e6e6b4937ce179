import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createService, FairShare } from '@twinyard/service-kit';
import { expectShares, type FakePassport, type StartedService, startService } from '@twinyard/testing';
import request from 'supertest';
import { service } from '../src/service';

const NS = 'house_a1B2c3D4';
const OTHER = 'other_a1B2c3D4';
const ANNEXES = ['annex_a1B2c3D4', 'barn_a1B2c3D4'];

describe('beside a tenant that takes all it can get', () => {
  let started: StartedService;
  let passport: FakePassport;
  let app: NestFastifyApplication;

  beforeAll(async () => {
    started = await startService((settings) => createService(service, settings));
    ({ app, passport } = started);
    await passport.grant('owner', NS, ['*']);
    await passport.grant('stranger', OTHER, ['*']);
  });
  afterAll(() => started?.stop());

  const teams = async (subject: string, nsfilter: string) => {
    const token = await passport.token(subject);
    return (await request(app.getHttpServer()).get('/aisvc/api/v1/teams').query({ nsfilter }).set('authorization', `Bearer ${token}`)).status;
  };

  it('what another asks is answered', async () => {
    await expectShares({ places: app.get(FairShare, { strict: false }), tenant: NS, ask: () => teams('owner', NS), askAsOther: () => teams('stranger', OTHER) });
  });

  it('what another asks is answered, in however many namespaces the first one asks', async () => {
    passport.putIntoOrganization('estate', ANNEXES);
    for (const annex of ANNEXES) await passport.grant('owner', annex, ['*']);
    for (const annex of ANNEXES) await expectShares({ places: app.get(FairShare, { strict: false }), tenant: 'estate', ask: () => teams('owner', annex), askAsOther: () => teams('stranger', OTHER) });
  });
});
