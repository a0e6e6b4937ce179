import { Client } from 'pg';
import { ItemService, type Json } from './item-service';

/** A transaction on a connection, by the first statement of each trip to the server. */
type Transaction = string[];

describe('trips to PostgreSQL that a small write takes', () => {
  let items: ItemService;
  const open = new Map<unknown, Transaction>();
  let transactions: Transaction[] = [];

  beforeAll(async () => {
    items = await ItemService.start();
    const ask = Client.prototype.query as (...args: unknown[]) => unknown;
    jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
      const text = (args[0] as { text?: string }).text ?? String(args[0]);
      if (text === 'START TRANSACTION') {
        open.set(this, []);
        transactions.push(open.get(this) as Transaction);
      }
      open.get(this)?.push(text.trim());
      return ask.apply(this, args);
    } as never);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await items?.stop();
  });

  /** Of the transaction that the request is done in; others are those of the relay of events. */
  async function tripsOf(request: () => Promise<{ readonly status: number }>, mark: RegExp): Promise<number | undefined> {
    transactions = [];
    expect((await request()).status).toBeLessThan(300);
    return transactions.find((trips) => trips.some((text) => mark.test(text)))?.length;
  }

  it('are those of its questions: the lock with the beginning, counters and event with the commit', async () => {
    const item = await items.item('NamedUserCollection');
    const path = `nameduseritems/${item._id}/relateditems`;
    const [made] = await items.related(item, [{ n: 1 }]);
    expect(await tripsOf(() => items.post(path, [{ n: 2 }]), /^insert into "doc_c/)).toBe(3);
    await items.put(`${path}/${made?._id}`, { n: 2 }); // what is known of the table's indexes is remembered
    expect(await tripsOf(() => items.put(`${path}/${made?._id}`, { n: 3 }), /^update "doc_c/)).toBe(4);
    const sensors = await items.item('NamedTelemetryCollection');
    const [sensor] = await items.related(sensors, [{ _sourceId: 's' }]);
    const reading: Json = { _ts: '2026-01-01T00:00:00Z', _tsMetadata: { _telItemId: sensor?._id, _sourceId: 's' }, value: 1 };
    expect(await tripsOf(() => items.post(`nameduseritems/${sensors._id}/relateditems/readings`, [reading]), /into document_readings/)).toBeLessThanOrEqual(4);
  });
});
