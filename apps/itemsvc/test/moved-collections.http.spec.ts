import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import { makeDoor } from '@twinyard/testing';
import { type Answer, ItemService, type Json, NS, OTHER_NS } from './item-service';

describe('a collection that moves while somebody writes into it', () => {
  let items: ItemService;
  beforeAll(async () => {
    items = await ItemService.start();
    await items.passport.grant('alice', OTHER_NS, ['*']);
  });
  afterAll(() => items.stop());

  const both = { nsfilter: [NS, OTHER_NS] };
  const create = (item: Json) => items.post(`nameduseritems/${item._id}/relateditems`, [{ n: 1 }], both);
  const toldOf = async (item: Json) => (await items.eventsOf(item._id as string)).filter(({ type }) => type === 'itemsvc.RelatedItems').map(({ _namespaces }) => _namespaces as string[]);

  /** The collection is looked up before `meanwhile`, and written into behind it. */
  async function createAround(item: Json, meanwhile: () => Promise<unknown>): Promise<Answer> {
    const store = items.part(DocumentStore);
    const real = store.transaction.bind(store) as DocumentStore['transaction'];
    const [begun, rest] = [makeDoor(), makeDoor()];
    const spy = jest.spyOn(store, 'transaction').mockImplementationOnce(async <T>(work: (tx: DocumentTx) => Promise<T>) => {
      begun.open();
      await rest.door;
      return real(work);
    });
    const answer = create(item);
    await begun.door;
    await meanwhile().finally(() => rest.open());
    return answer.finally(() => spy.mockRestore());
  }

  it('tells of it where it lies by then, and not where it was found', async () => {
    const item = await items.item('NamedUserCollection');
    const answer = await createAround(item, async () => {
      expect((await items.put(`nameduseritems/${item._id}`, { ...item, _namespaces: [OTHER_NS] }, both)).status).toBe(204);
    });
    expect([answer.status, await toldOf(item)]).toEqual([201, [[OTHER_NS]]]);
  });

  it('tells where it is of what comes next, and where it was while it was only changed', async () => {
    const item = await items.item('NamedUserCollection');
    await createAround(item, () => items.put(`nameduseritems/${item._id}`, { ...item, _name: 'Another name' }));
    expect((await items.put(`nameduseritems/${item._id}`, { ...item, _namespaces: [NS, OTHER_NS] }, both)).status).toBe(204);
    expect((await create(item)).status).toBe(201);
    expect(await toldOf(item)).toEqual([[NS], [NS, OTHER_NS]]);
  });
});
