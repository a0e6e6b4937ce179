import { ping } from '../src/components/ping.component';
import { ORCHESTRATORS, RUNS, RunningService } from './running-service';

const MOST = 1024 ** 2;
const HEAVY = 'x'.repeat(400_000);

interface PageBody {
  readonly _offset: number;
  readonly _pageSize: number;
  readonly _total: number;
  readonly _list: readonly unknown[];
}

describe('lists of records that are heavy together', () => {
  let service: RunningService;
  let owner: string;

  beforeAll(async () => {
    service = await RunningService.start([ping], { ANSWER_MAX_BYTES: MOST });
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', 'house_a1B2c3D4', ['*']);
  });
  afterAll(() => service?.stop());

  const page = async (path: string, query: object) => {
    const { body, text } = await service.call(owner, 'get', path).query(query).expect(200);
    const { _offset, _pageSize, _total, _list } = body as PageBody;
    return { at: _offset, size: _pageSize, total: _total, entries: _list.length, isLight: Buffer.byteLength(text) <= MOST };
  };

  it.each([10, 1_000])('end where the answer is full, of %d that are asked for, and go on behind it', async (_pageSize) => {
    const { _total } = (await service.call(owner, 'get', ORCHESTRATORS).query({ _pageSize: 0 }).expect(200)).body as PageBody;
    for (let made = 0; made < 3; made += 1) await service.orchestrator(owner, [{ _orchcomp: 'ping', _actualparams: { HEAVY } }]);
    expect(await page(ORCHESTRATORS, { _pageSize, _offset: _total })).toEqual({ at: _total, size: 2, total: _total + 3, entries: 2, isLight: true });
    expect(await page(ORCHESTRATORS, { _pageSize, _offset: _total + 2 })).toEqual({ at: _total + 2, size: _pageSize, total: _total + 3, entries: 1, isLight: true });
  });

  it('count the steps of a run with it', async () => {
    const id = await service.orchestrator(owner, [{ _orchcomp: 'ping', _actualparams: { HEAVY } }]);
    for (let started = 0; started < 3; started += 1) await service.startRun(owner, id);
    expect(await page(RUNS, { _pageSize: 100 })).toMatchObject({ total: 3, isLight: true, entries: expect.any(Number) });
    const { size, entries } = await page(RUNS, { _pageSize: 100 });
    expect(size).toBe(entries);
    expect(entries).toBeLessThan(3);
    expect(entries).toBeGreaterThan(0);
  });
});
