import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiDocument, itBoundsLists } from '@twinyard/testing';
import { ping } from '../src/components/ping.component';
import { NS, ORCHESTRATORS, RUNS, RunningService, SCHEDULES } from './running-service';

const MOST = 2_000;
const RECORDS = 6;

describe('lists that weigh more than an answer may', () => {
  let service: RunningService;
  let owner: string;

  beforeAll(async () => {
    service = await RunningService.start([ping], { ANSWER_MAX_BYTES: MOST });
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
  });
  afterAll(() => service?.stop());

  const orchestrator = () => service.orchestrator(owner, [{ _orchcomp: 'ping', _actualparams: { text: 'x'.repeat(200) } }]);

  it('end where the answer is full, and go on behind it, also where they are plain arrays', async () => {
    for (let made = 0; made < RECORDS; made += 1) {
      await service.call(owner, 'post', SCHEDULES).send({ _orchid: await orchestrator(), runinterval: '1 * *', _actualParams: [{ sequence_type_id: ping.id, params: { text: 'x'.repeat(400) } }] }).expect(200);
    }
    const found: unknown[] = [];
    for (let page: readonly unknown[] | undefined; page === undefined || page.length > 0; found.push(...page)) {
      const { body, text } = await service.call(owner, 'get', SCHEDULES).query({ _offset: found.length }).expect(200);
      page = body as readonly unknown[];
      expect([page.length < RECORDS, Buffer.byteLength(text) <= MOST + page.length * 1_000]).toEqual([true, true]);
    }
    expect([found.length, new Set(found.map((one) => JSON.stringify(one))).size]).toEqual([RECORDS, RECORDS]);
  });

  itBoundsLists({
    document: JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as ApiDocument,
    most: MOST,
    ask: async (path, { offset, size }) => service.call(owner, 'get', path).query({ _offset: offset, _pageSize: size }),
    lists: {
      [`GET ${ORCHESTRATORS}`]: async () => {
        for (let made = 0; made < RECORDS; made += 1) await orchestrator();
        return ORCHESTRATORS;
      },
      [`GET ${RUNS}`]: async () => {
        const id = await orchestrator();
        for (let made = 0; made < RECORDS; made += 1) await service.ended(owner, (await service.startRun(owner, id)).id);
        return RUNS;
      },
      [`GET ${SCHEDULES}`]: 'a plain array, see above',
      [`GET ${RUNS}/{id}`]: 'one run',
      [`GET ${RUNS}/{id}/steps`]: 'of one run: its orchestrator came in a body of 17 MB at most',
      'GET /datasourcesvc/api/v1/orchcomponents': 'three, which the code describes',
      'GET /datasourcesvc/api/v1/permissions': 'cut by passportsvc, which answers it',
    },
  });
});
