import { NotifiedHouse } from './notified-house';

const NS = 'house_a1B2c3D4';
const MOST = 1024 ** 2;

describe('lists of records that are heavy together', () => {
  let house: NotifiedHouse;
  let owner: string;

  beforeAll(async () => {
    house = await NotifiedHouse.start();
    await house.boot({ ANSWER_MAX_BYTES: MOST });
    owner = await house.passport.token('owner');
    await house.passport.grant('owner', NS, ['*']);
  });
  afterAll(() => house?.stop());

  it('end where the answer is full, and go on behind it', async () => {
    const made: string[] = [];
    const _email = { _subject: 'heavy', _body: 'x'.repeat(90_000) };
    for (let index = 0; index < 15; index += 1) made.push((await house.make(owner, NS, 'template', { _transport: 'EMAIL', _email }))._id);
    const list = async (_offset: number) => {
      const { body, text } = await house.call(owner, 'get', 'template', NS).query({ _offset, _count: 500 }).expect(200);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST);
      return body as { _pageSize: number; _total: number; _list: { _id: string }[] };
    };
    const first = await list(0);
    expect([first._pageSize, first._total, first._list.map(({ _id }) => _id)]).toEqual([11, 15, made.slice(0, 11)]);
    const second = await list(first._pageSize);
    expect([second._pageSize, second._total, second._list.map(({ _id }) => _id)]).toEqual([500, 15, made.slice(11)]);
  });
});
