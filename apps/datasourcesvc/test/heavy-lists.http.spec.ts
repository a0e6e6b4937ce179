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

  it('hold of a log what an answer may, and say from where it goes on', async () => {
    const { id } = await service.startRun(owner, await service.orchestrator(owner, [{ _orchcomp: 'ping' }], { _instant: true }));
    // Each quotation mark is four bytes of an answer.
    await service.query(`INSERT INTO orchestrator_run_log (run_id, at, level, message) SELECT $1, clock_timestamp(), 'info', n || repeat('"', 3990) FROM generate_series(1, 300) n`, [id]);
    const log = async (query: object) => {
      const { body, text } = await service.call(owner, 'get', `${RUNS}/logs/${id}`).query(query).expect(200);
      const records = (body as string).split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
      expect([records[0]?.['orchRunId'], records.filter(({ end }) => end), Buffer.byteLength(text) < MOST + 1_000]).toEqual([id, [records.at(-1)], true]);
      return { told: records.filter(({ _offset }) => _offset === undefined).map(({ message }) => message), next: records.at(-1)?.['_offset'] };
    };
    const told: unknown[] = [];
    let pages = 0;
    for (let next: unknown = 0; next !== undefined; pages += 1) {
      expect(next).toBe(told.length);
      const page = await log({ _offset: next });
      told.push(...page.told);
      next = page.next;
    }
    const kept = await service.query<{ message: string }>('SELECT message FROM orchestrator_run_log WHERE run_id = $1 ORDER BY position', [id]);
    expect([told, pages > 3]).toEqual([kept.map(({ message }) => message), true]);
    expect(await log({ _pageSize: 2 })).toEqual({ told: told.slice(0, 2), next: 2 });
  });
});
