import { versionOf } from '../document';
import { HeavyPages, type Remaining } from './heavy-pages.adapter';
import type { Statement } from './statement';

const ANSWER_BYTES = 1_000;
const text = (id: string, size: number) => JSON.stringify({ _id: id }).padEnd(size);
const remaining = (...ids: readonly string[]) => ids.map((id): Remaining => [id, 100]);

/** Stands for the server: it answers when it is told to, with texts of one size. */
class Server {
  readonly asked: { readonly ids: readonly string[]; readonly answer: () => void }[] = [];
  isReady = false;

  constructor(private readonly size = 100, private readonly most = Infinity) {}

  read<R>(_sql: string, { parameters }: Statement): Promise<R[]> {
    const ids = parameters.find(Array.isArray) as string[];
    const came = ids.slice(0, this.most);
    const row = { ids: came, places: came.map((_id, place) => place + 1), texts: came.map((id) => text(id, this.size)).join('\n'), leftAt: came.length < ids.length ? came.length + 1 : null };
    return new Promise((resolve) => {
      const answer = () => resolve([row] as R[]);
      this.asked.push({ ids, answer });
      if (this.isReady) answer();
    });
  }
}

const pagesOf = (server: Server) => new HeavyPages(server, ANSWER_BYTES, () => Promise.resolve('true'));
const asking = (tenant: string) => ({ target: versionOf('things', 'v'), limit: 100, tenant });
/** All that is done without the server. */
const settled = () => new Promise(setImmediate);

describe('pages that are read on', () => {
  it('wait in a line of their tenant, so that one with many keeps no other from being answered', async () => {
    const server = new Server();
    const pages = pagesOf(server);
    const ended: string[] = [];
    const ask = (tenant: string, name: string) => pages.list(asking(tenant), [{ list: text('first', 100), rest: remaining(name) }], undefined).then(() => ended.push(name));
    const all = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1')];
    await settled();
    expect(server.asked.map(({ ids }) => ids)).toEqual([['a1'], ['b1']]);
    server.asked[1]?.answer();
    await settled();
    expect(ended).toEqual(['b1']);
    server.isReady = true;
    server.asked[0]?.answer();
    await Promise.all(all);
    expect(ended).toEqual(['b1', 'a1', 'a2', 'a3']);
  });

  it('hold no more while they wait, of one tenant, than an answer weighs; more is refused, and others are not', async () => {
    const server = new Server();
    const pages = pagesOf(server);
    const ask = (tenant: string) => pages.list(asking(tenant), [{ list: text('first', 400), rest: remaining('x') }], undefined);
    const taken = [ask('a'), ask('a'), ask('a')];
    await expect(ask('a')).rejects.toMatchObject({ status: 429, code: 'too_many_requests' });
    const others = [ask('b'), ask('b')];
    await settled();
    server.isReady = true;
    for (const { answer } of server.asked) answer();
    expect((await Promise.all([...taken, ...others])).map(({ more }) => more)).toEqual([1, 1, 1, 1, 1]);
  });

  it('are waited for alone whatever they hold', async () => {
    const server = new Server(10);
    const pages = pagesOf(server);
    const ask = () => pages.list(asking('a'), [{ list: text('first', 5 * ANSWER_BYTES), rest: remaining('x') }], undefined);
    const both = [ask(), ask()];
    await settled();
    server.isReady = true;
    server.asked[0]?.answer();
    expect((await Promise.all(both)).map(({ isCut, passed }) => [isCut, passed])).toEqual([[true, 0], [true, 0]]);
  });

  it('ask for less where what comes is written at many times what it is stored in', async () => {
    const server = new Server(200, 1);
    server.isReady = true;
    const { rows, isCut } = await pagesOf(server).rest(asking('a'), [['1', 10], ['2', 10], ['3', 10], ['4', 10], ['5', 10], ['6', 10]], { weight: 0, projection: undefined });
    expect([rows.map(({ id }) => id), isCut]).toEqual([['1', '2', '3', '4', '5'], true]);
    expect(server.asked.map(({ ids }) => ids.length)).toEqual([6, 1, 1, 1, 1, 1]);
  });

  it('say of a page of which not all stay what lies before the first that is left out, wherever that stands', async () => {
    const server = new Server(300);
    server.isReady = true;
    const half = (from: number) => ({ from, list: text('light', 300), rest: [['x', 100, 12], ['y', 100, 34], ['z', 100, 56]] as const });
    const cut = async (...parts: Parameters<HeavyPages['list']>[1]) => {
      const { more, isCut, passed } = await pagesOf(server).list(asking('a'), parts, undefined);
      return { more, isCut, passed };
    };
    expect(await cut(half(0), half(500))).toEqual({ more: 2, isCut: true, passed: 55 });
    expect(await cut({ from: 0, list: '', rest: null }, half(500))).toEqual({ more: 2, isCut: true, passed: 555 });
    expect(await cut({ from: 0, list: text('light', 900), rest: null }, half(500))).toEqual({ more: 0, isCut: true, passed: 500 });
    expect(await cut({ from: 0, list: text('light', 900), rest: null }, { from: 500, list: '', rest: null })).toMatchObject({ isCut: false });
  });
});
