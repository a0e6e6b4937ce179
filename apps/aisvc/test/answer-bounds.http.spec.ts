import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createService } from '@twinyard/service-kit';
import { type ApiDocument, type FakePassport, itBoundsLists, type StartedService, startService } from '@twinyard/testing';
import request from 'supertest';
import { service } from '../src/service';

const NS = 'house_a1B2c3D4';
const TEAMS = '/aisvc/api/v1/teams';
const MOST = 1_000;
const body = { _name: 'Energy', _namespaces: [NS], _agents: [{ _userType: 'planner' }], _flow: [{ from: '__start__', to: 'planner' }, { from: 'planner', to: '__end__' }] };

describe('lists that weigh more than an answer may', () => {
  let started: StartedService;
  let passport: FakePassport;
  let app: NestFastifyApplication;
  let owner: string;

  beforeAll(async () => {
    started = await startService((settings) => createService(service, { ...settings, ANSWER_MAX_BYTES: MOST }));
    ({ app, passport } = started);
    owner = await passport.token('owner');
    await passport.grant('owner', NS, ['*']);
  });
  afterAll(() => started?.stop());

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
