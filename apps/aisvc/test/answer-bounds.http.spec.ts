import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createService } from '@twinyard/service-kit';
import { type ApiDocument, createTestDatabase, FakePassport, itBoundsLists, type TestDatabase, testSettings } from '@twinyard/testing';
import request from 'supertest';
import { service } from '../src/service';

const NS = 'house_a1B2c3D4';
const TEAMS = '/aisvc/api/v1/teams';
const MOST = 1_000;
const body = { _name: 'Energy', _namespaces: [NS], _agents: [{ _userType: 'planner' }], _flow: [{ from: '__start__', to: 'planner' }, { from: 'planner', to: '__end__' }] };

describe('lists that weigh more than an answer may', () => {
  let passport: FakePassport;
  let databases: TestDatabase[];
  let app: NestFastifyApplication;
  let owner: string;

  beforeAll(async () => {
    passport = await FakePassport.start();
    databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    app = await createService(service, { ...testSettings(passport, databases[0] as TestDatabase, databases[1] as TestDatabase), ANSWER_MAX_BYTES: MOST });
    await app.listen(0, '127.0.0.1');
    owner = await passport.token('owner');
    await passport.grant('owner', NS, ['*']);
  });
  afterAll(async () => {
    await app?.close();
    await passport?.stop();
    await Promise.all((databases ?? []).map((database) => database.drop()));
  });

  const call = (method: 'get' | 'post', path: string) => request(app.getHttpServer())[method](path).query({ nsfilter: NS }).set('authorization', `Bearer ${owner}`);

  itBoundsLists({
    document: JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as ApiDocument,
    most: MOST,
    ask: async (path, { offset, size }) => call('get', path).query({ _offset: offset, _pageSize: size }),
    lists: {
      [`GET ${TEAMS}`]: async () => {
        for (let made = 0; made < 6; made += 1) await call('post', TEAMS).send(body).expect(200);
        return TEAMS;
      },
      'GET /aisvc/api/v1/permissions': 'cut by passportsvc, which answers it',
    },
  });
});
