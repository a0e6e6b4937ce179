import { existsSync } from 'node:fs';
import { createTestDatabase, eventually, FakePassport, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { itemEnvironment, ItemProcess } from './item-process';
import { type Json, NS } from './item-service';

const MEGABYTES = Number(process.env['TRANSFER_MEGABYTES'] ?? 500);
/** Above what the idle process holds, whatever the file weighs: batches on their way, and garbage that is not collected yet. */
const GROWTH_BYTES = 250_000_000;
/** Else V8 leaves garbage lie as long as a machine of many gigabytes can bear it, and on a busy one longer: 220 MB of it were counted for use. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=192' };
const ROW_BYTES = 500;
const PER_PIECE = 500;

const row = (n: number) => `${JSON.stringify({ n, text: 'a row of half a kilobyte, '.repeat(16), properties: { area: { val: n / 8, unit: 'm²' } } })}\n`;
const API = '/itemsvc/api/v1/nameduseritems';

(existsSync('/proc') ? describe : describe.skip)('imports, exports and bulks of a process of its own', () => {
  let passport: FakePassport;
  let databases: readonly TestDatabase[] = [];
  let settings: Record<string, string>;
  let headers: Record<string, string>;
  const running = new Set<ItemProcess>();

  beforeAll(async () => {
    passport = await FakePassport.start();
    await passport.grant('alice', NS, ['*']);
    const [own, events] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    databases = [own, events];
    settings = itemEnvironment(passport, [own, events]);
    headers = { authorization: `Bearer ${await passport.token('alice', { expiresIn: 7_200 })}` };
  });
  afterEach(async () => {
    for (const process of running) await process.stop();
    running.clear();
  });
  afterAll(async () => {
    for (const database of databases) await database.drop();
    await passport?.stop();
  });

  async function start(more: Readonly<Record<string, string>> = {}): Promise<ItemProcess> {
    const process = await ItemProcess.start({ ...settings, ...more });
    running.add(process);
    return process;
  }
  const ask = async ({ origin }: ItemProcess, path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${origin}${path}${path.includes('?') ? '&' : '?'}nsfilter=${NS}`, { ...init, headers: { ...headers, ...(init.headers as object) } });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return answer;
  };
  async function collection(process: ItemProcess): Promise<string> {
    const body = JSON.stringify([{ _name: 'Rows', _shortName: 'rows', _userType: 'rows', _itemClass: 'NamedUserCollection', _namespaces: [NS] }]);
    const page = (await (await ask(process, API, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).json()) as Json;
    return page._list[0]._id as string;
  }
  async function send(process: ItemProcess, id: string, mode: string, rows: number): Promise<string> {
    async function* file() {
      for (let n = 0; n < rows; n += PER_PIECE) yield Buffer.from(Array.from({ length: Math.min(PER_PIECE, rows - n) }, (_, m) => row(n + m)).join(''));
    }
    const init = { method: 'POST', body: file(), duplex: 'half' } as unknown as RequestInit;
    return new URL((await ask(process, `${API}/${id}/relateditems/import?mode=${mode}`, init)).headers.get('location') as string).pathname;
  }
  const state = async (process: ItemProcess, request: string) => (await (await ask(process, request)).json()) as Json;
  const end = (process: ItemProcess, request: string) => eventually(async () => {
    const body = await state(process, request);
    if (!['COMPLETED', 'FAILED'].includes(body._status as string)) throw new Error(`still ${JSON.stringify(body)}`);
    return body;
  }, { timeoutMs: 900_000, everyMs: 200 });
  const total = async (process: ItemProcess, id: string) => ((await (await ask(process, `${API}/${id}/relateditems?_pageSize=0`)).json()) as Json)._total as number;

  /** The most that the process held while the work went on. */
  async function peakDuring<T>(process: ItemProcess, work: Promise<T>): Promise<{ readonly answer: T; readonly peak: number }> {
    let peak = 0;
    const timer = setInterval(() => { peak = Math.max(peak, process.residentBytes()); }, 50);
    try {
      return { answer: await work, peak };
    } finally {
      clearInterval(timer);
    }
  }

  it(`hold no more memory for ${MEGABYTES} MB in and out than for a few`, async () => {
    const process = await start(SMALL_HEAP);
    const id = await collection(process);
    expect((await end(process, await send(process, id, 'rows', 20_000)))._response._body._created).toBe(20_000);
    const before = process.residentBytes();
    const rows = Math.ceil((MEGABYTES * 1_000_000) / ROW_BYTES);
    const into = await peakDuring(process, send(process, id, 'rows', rows).then((request) => end(process, request)));
    expect(into.answer).toMatchObject({ _progress: { _done: rows, _total: rows }, _response: { _body: { _created: rows, _refused: [] } } });
    for (const format of ['ndjson', 'csv']) {
      const read = async () => {
        let lines = 0;
        const { body } = await ask(process, `${API}/${id}/relateditems/export?format=${format}&project=${encodeURIComponent('{"_metadata":0}')}`);
        for await (const part of body as unknown as AsyncIterable<Uint8Array>) lines += Buffer.from(part).filter((byte) => byte === 10).length;
        return lines;
      };
      const out = await peakDuring(process, read());
      expect(out.answer).toBe(rows + 20_000 + (format === 'csv' ? 1 : 0));
      expect(out.peak - before).toBeLessThan(GROWTH_BYTES);
    }
    expect(into.peak - before).toBeLessThan(GROWTH_BYTES);
  }, 1_800_000);

  /** How many rows of any collection are stored and committed, past the service. */
  async function stored(): Promise<number> {
    const client = new Client({ connectionString: databases[0]?.url });
    await client.connect();
    try {
      const { rows: tables } = await client.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE tablename ~ '^doc_c[0-9a-f]+$'");
      const counts = await Promise.all(tables.map(({ name }) => client.query<{ n: number }>(`SELECT count(*)::int AS n FROM "${name}"`)));
      return counts.reduce((sum, { rows }) => sum + (rows[0]?.n ?? 0), 0);
    } finally {
      await client.end();
    }
  }

  /** An import whose process has died, with how many rows it had stored by then. */
  async function cutOff(mode: string, rows: number) {
    const process = await start();
    const id = await collection(process);
    const before = await stored();
    const request = await send(process, id, mode, rows);
    await eventually(async () => expect((await state(process, request))._progress._done).toBeGreaterThan(4_000), { timeoutMs: 240_000, everyMs: 20 });
    await process.kill();
    return { id, request, there: (await stored()) - before };
  }

  /** It takes seconds: on a machine that stalls the test for as long it has ended before, and another one is begun. */
  async function cutOffInTheMiddle(mode: string, rows: number, tries = 5): Promise<Awaited<ReturnType<typeof cutOff>>> {
    const cut = await cutOff(mode, rows);
    return cut.there < rows || tries === 1 ? cut : cutOffInTheMiddle(mode, rows, tries - 1);
  }

  it.each(['rows', 'all'])('survive kill -9 in the middle with mode=%s: each row is made once, by another process', async (mode) => {
    const { id, request, there } = await cutOffInTheMiddle(mode, 60_000);
    expect(mode === 'all' ? there === 0 : there > 0 && there < 60_000).toBe(true);
    const second = await start();
    expect((await end(second, request))._response).toEqual({ _status: 200, _body: { _created: 60_000, _refused: [] } });
    const text = await (await ask(second, `${API}/${id}/relateditems/export?project=${encodeURIComponent('{"n":1,"_id":0}')}`)).text();
    const numbers = text.trim().split('\n').map((line) => (JSON.parse(line) as { n: number }).n);
    expect([numbers.length, new Set(numbers).size]).toEqual([60_000, 60_000]);
  }, 600_000);

  async function sendBulk(process: ItemProcess, id: string, items: number, textLength: number): Promise<string> {
    const body = JSON.stringify(Array.from({ length: items }, (_, n) => ({ n, text: `${n} `.repeat(textLength).slice(0, textLength) })));
    const answer = await ask(process, `${API}/${id}/relateditems/bulk`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    return new URL(answer.headers.get('location') as string).pathname;
  }

  it.each([0, 30, 100, 300])('makes a bulk that was accepted wholly and once, though the process is killed %s ms after', async (afterMs) => {
    const first = await start();
    const id = await collection(first);
    const request = await sendBulk(first, id, 10_000, 400);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await first.kill();
    const second = await start();
    expect([0, 10_000]).toContain(await total(second, id));
    const { _status, _progress, _response } = await end(second, request);
    expect([_status, _progress, _response._status, _response._body._list.length]).toEqual(['COMPLETED', { _done: 10_000, _total: 10_000 }, 201, 10_000]);
    const text = await (await ask(second, `${API}/${id}/relateditems/export?project=${encodeURIComponent('{"n":1}')}`)).text();
    const stored = text.trim().split('\n').map((line) => JSON.parse(line) as Json);
    expect(new Set(stored.map(({ n }) => n)).size).toBe(10_000);
    expect(new Set(stored.map(({ _id }) => _id))).toEqual(new Set((_response._body._list as Json[]).map(({ _id }) => _id)));
    expect(stored).toHaveLength(10_000);
  }, 300_000);
});
