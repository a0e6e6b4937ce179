import { newNamespace } from '@twinyard/conventions';
import { DocumentStore } from '@twinyard/documents';
import { DataKeyGone, DataKeyInUse, DataKeyUses, Envelope } from '@twinyard/envelope';
import { UnitOfWork } from '@twinyard/service-kit';
import { EncryptedContentsRepository } from '../src/encryption/encrypted-contents.repository';
import { ResealVersion } from '../src/encryption/reseal-version';
import { NamedItemsRepository } from '../src/nameditems/named-items.repository';
import { VersionsRepository } from '../src/versions/versions.repository';
import { ItemService, type Json } from './item-service';

/** The transactions of a pass over a version that holds nothing but a page of items: it begins, seals items anew, then update logs, and ends. */
const [ITEMS, END] = [2, 4];

/** A pass of a rotation that another process makes: it stands still before one of its transactions until it is told to go on. */
class OtherPass extends EncryptedContentsRepository {
  private transactions = 0;
  private goOn = (): void => undefined;
  private readonly told = new Promise<void>((resolve) => { this.goOn = resolve; });
  private hasStopped = (): void => undefined;
  private readonly stopped = new Promise<void>((resolve) => { this.hasStopped = resolve; });
  private ended: Promise<unknown> = Promise.resolve();

  constructor(private readonly service: ItemService, private readonly before: number) {
    super(service.part(DocumentStore));
  }

  override async transaction<T>(work: Parameters<EncryptedContentsRepository['transaction']>[0]): Promise<T> {
    this.transactions += 1;
    if (this.transactions === this.before) {
      this.hasStopped();
      await this.told;
    }
    return super.transaction(work) as Promise<T>;
  }

  /** Resolves when it stands still. */
  async begin(...[holder, older, newest]: Parameters<ResealVersion['run']>): Promise<void> {
    const { service } = this;
    const version = new ResealVersion(this, service.part(NamedItemsRepository), service.part(VersionsRepository), service.part(Envelope), service.part(DataKeyUses));
    this.ended = version.run(holder, older, newest);
    // One that ends or fails before it stands still is told by the wait.
    await Promise.race([this.stopped, this.ended.then(() => { throw new Error('the pass did not stand still'); })]);
    this.ended.catch(() => undefined);
  }

  end(): Promise<unknown> {
    this.goOn();
    return this.ended;
  }
}

describe('two rotations of the data keys of items at once', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const newPlace = async () => {
    const nsfilter = newNamespace('keys');
    await items.passport.grant('alice', nsfilter, ['*']);
    const item = await items.item('NamedUserCollection', { _encryptionEnabled: true }, 'alice', nsfilter);
    const path = `nameduseritems/${item._id}/relateditems`;
    await items.post(path, [{ n: 0, '.pin': 'a' }, { n: 1, '.pin': 'b' }], { nsfilter });
    const list = async () => (await items.get(path, { nsfilter, query: { sort: { n: 1 } } })).body._list as Json[];
    const keys = items.part(Envelope).keys;
    const made = (version: number) => keys.make(nsfilter, version);
    const remove = (id: string) => items.part(UnitOfWork).run((tx) => keys.store.remove(tx, id));
    return { nsfilter, path, list, made, remove, versionId: item._tipId as string, first: await keys.newest(nsfilter) };
  };

  it('keep a key until what a late writer has sealed under it is sealed anew, also when the first of them ends before', async () => {
    const { nsfilter, path, list, made, remove, versionId, first } = await newPlace();
    const second = await made(2);
    const one = new OtherPass(items, END);
    await one.begin(versionId, [first.id], second);
    // This process does not know yet that there is another key.
    const [{ _id: id }] = (await list()) as [Json];
    expect((await items.put(`${path}/${id}`, { n: 0, '.pin': 'late' }, { nsfilter })).status).toBe(200);
    const other = new OtherPass(items, ITEMS);
    await other.begin(versionId, [first.id], second);
    await one.end();
    await expect(remove(first.id)).rejects.toThrow(DataKeyInUse);
    expect((await list()).map((row) => row['.pin'])).toEqual(['late', 'b']);
    await other.end();
    expect(await remove(first.id)).toBe(true);
    expect((await list()).map((row) => row['.pin'])).toEqual(['late', 'b']);
  });

  it('seal nothing under a key that a third has replaced and removed meanwhile', async () => {
    const { list, made, remove, versionId, first } = await newPlace();
    const second = await made(2);
    const slow = new OtherPass(items, ITEMS);
    await slow.begin(versionId, [first.id], second);
    const reseal = items.part(ResealVersion);
    await reseal.run(versionId, [first.id], second);
    expect(await remove(first.id)).toBe(true);
    const third = await made(3);
    await reseal.run(versionId, [first.id, second.id], third);
    expect(await remove(second.id)).toBe(true);
    await expect(slow.end()).rejects.toThrow(DataKeyGone);
    expect((await list()).map((row) => row['.pin'])).toEqual(['a', 'b']);
  });
});
