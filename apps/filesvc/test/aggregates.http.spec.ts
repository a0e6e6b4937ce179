import { AGGREGATES_PATH, type AggregatesResponse, EventBus, type PublicEvent } from '@twinyard/events';
import { eventually } from '@twinyard/testing';
import request from 'supertest';
import { FILES, FilesvcUnderTest } from './filesvc-under-test';

describe('what there is, told to the other services', () => {
  let filesvc: FilesvcUnderTest;
  /** What was last told of each thing, by type and id. */
  const told = new Map<string, PublicEvent>();
  const numbers = new Map<string, number>();
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start({ PREVIEW_PROCESSES: 1 });
    const handler = async ({ data, sequence, partitionkey }: { data: PublicEvent; sequence: string; partitionkey: string }): Promise<void> => {
      told.set(`${data.resource.type} ${data.resource._id}`, data);
      numbers.set(partitionkey, Number(sequence));
    };
    (await filesvc.app.get(EventBus).subscribe({ group: 'spec', topics: ['filesvc.file'], handler })).start();
  });
  afterAll(() => filesvc?.stop());

  const post = (body: unknown, token = filesvc.passport.serviceToken) => request(filesvc.url).post(AGGREGATES_PATH).set('authorization', `Bearer ${token}`).send(body as object);
  const ask = async (body: object) => (await post(body).expect(200)).body as AggregatesResponse;

  it('is what the last events have told, with their number, page by page, deleted ones too', async () => {
    const folder = await filesvc.makeFolder('folder');
    const [kept, renamed, deleted] = [await filesvc.upload('kept.txt', 'one'), await filesvc.upload('renamed.txt', 'three', { _parents: folder._id }), await filesvc.upload('deleted.txt', 'x')];
    await filesvc.upload('kept.txt', 'and two');
    await filesvc.as('owner', 'put', `${FILES}/${renamed._id}`).send({ _name: 'renamed.glb', _tags: ['a'] }).expect(200);
    await filesvc.as('owner', 'delete', `${FILES}/${deleted._id}`).expect(204);
    await eventually(() => [kept, renamed, deleted].every(({ _id }) => numbers.has(_id)) && told.get(`filesvc.File ${deleted._id}`)?.event === 'resource.ResourceDeleted');

    await eventually(async () => {
      const previews = await filesvc.query<{ id: string }>('SELECT preview.id FROM preview JOIN file_version version ON version.id = version_id');
      expect([previews.length, await filesvc.query(`SELECT 1 FROM job WHERE kind = 'filesvc.preview'`)]).toEqual([3, []]);
      for (const { id } of previews) expect(told.has(`filesvc.Preview ${id}`)).toBe(true);
      expect(told.get(`filesvc.File ${renamed._id}`)?.resource).toMatchObject({ _name: 'renamed.glb' });
    });

    const first = await ask({ topic: 'filesvc.file', limit: 2 });
    const second = await ask({ topic: 'filesvc.file', limit: 2, after: first.next });
    const all = [...first.aggregates, ...second.aggregates];
    expect([first.aggregates.length, second.aggregates.length, second.next]).toEqual([2, 1, undefined]);
    expect(all.map(({ key }) => key)).toEqual([kept._id, renamed._id, deleted._id].sort());
    for (const { key, sequence, resources } of all) {
      expect([key, sequence]).toEqual([key, numbers.get(key)]);
      for (const { resource } of resources) expect(resource).toEqual(told.get(`${resource.type} ${resource._id}`)?.resource);
    }
    expect(Object.fromEntries(all.map(({ key, resources }) => [key, resources.length]))).toEqual({ [kept._id]: 5, [renamed._id]: 3, [deleted._id]: 0 });
    expect(all.flatMap(({ resources }) => resources).every(({ madeAt, changedAt }) => !Number.isNaN(Date.parse(madeAt)) && madeAt <= changedAt)).toBe(true);
    const named = await ask({ topic: 'filesvc.file', keys: [kept._id, 'nobody', kept._id] });
    expect(named.aggregates).toEqual([all.find(({ key }) => key === kept._id), { key: 'nobody', sequence: 0, resources: [] }]);
  });

  it('is closed to whoever does not know the service token, and refuses what it does not have', async () => {
    await post({ topic: 'filesvc.file' }, 'guess').expect(401);
    await post({ topic: 'filesvc.file' }, filesvc.tokenOf('owner')).expect(401);
    for (const bad of [{}, [], { topic: 'itemsvc.item' }, { topic: 'x' }, { topic: 'filesvc.file', limit: 0 }, { topic: 'filesvc.file', limit: 201 }, { topic: 'filesvc.file', keys: 'x' }, { topic: 'filesvc.file', after: 7 }]) {
      expect([bad, (await post(bad)).status]).toEqual([bad, 400]);
    }
  });
});
