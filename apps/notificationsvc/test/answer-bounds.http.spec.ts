import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiDocument, eventually, itBoundsLists } from '@twinyard/testing';
import { NotifiedHouse } from './notified-house';

const NS = 'house_a1B2c3D4';
const BASE = '/notificationsvc/api/v1';
const MOST = 1_000;
const RECORDS = 6;
const FILE = 'plan.ifc';

describe('lists that weigh more than an answer may', () => {
  let house: NotifiedHouse;
  let owner: string;

  beforeAll(async () => {
    house = await NotifiedHouse.start();
    await house.boot({ ANSWER_MAX_BYTES: MOST });
    owner = await house.passport.token('owner');
    await house.passport.grant('owner', NS, ['*']);
    // A record of each kind.
    for (let made = 0; made < RECORDS; made += 1) await house.watch(owner, NS, FILE, [`http://127.0.0.1:9/${made}`]);
  });
  afterAll(() => house?.stop());

  const kinds = ['device', 'group', 'sender', 'subscription', 'template', 'trigger'];

  itBoundsLists({
    document: JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as ApiDocument,
    most: MOST,
    ask: async (path, { offset, size }) => house.call(owner, 'get', path, NS).query({ _offset: offset, _count: size }),
    lists: {
      ...Object.fromEntries(kinds.map((kind) => [`GET ${BASE}/${kind}`, () => Promise.resolve(kind)])),
      [`GET ${BASE}/notification`]: async () => {
        await house.upload(NS, FILE);
        await eventually(async () => expect((await house.call(owner, 'get', 'notification', NS).query({ _count: 0 })).body).toMatchObject({ _total: RECORDS }));
        return 'notification';
      },
      [`GET ${BASE}/permissions`]: 'cut by passportsvc, which answers it',
    },
  });
});
