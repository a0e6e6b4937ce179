import { openAsBlob, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { scanStep, sharedData } from '@twinyard/testing';
import type { Fields, Page } from '../../tour/api';
import { makeProject, type Project } from '../../tour/steps/project';
import { runTask } from '../../tour/steps/runs';
import { TourLog } from '../../tour/tour-log';
import { RunningPlatform } from './running-platform';

const ITEMS = '/itemsvc/api/v1/nameduseritems';

interface Version extends Fields {
  readonly _id: string;
  readonly _version: number;
}

/** What is read of a model at one version of its collections. */
interface Reading {
  readonly totals: Readonly<Record<string, number>>;
  /** Elements with the number of their property records, related to them. */
  readonly elements: readonly [string, number][];
}

describe.each(['duplex.ifc', 'office-a.ifc'])('%s imported twice', (name) => {
  const model = sharedData(name) ?? '';
  const proves = model === '' ? it.skip : it;
  let platform: RunningPlatform;
  let project: Project;
  let fileId: string;
  let collections: ReadonlyMap<string, string>;

  beforeAll(async () => {
    if (model === '') return;
    platform = await RunningPlatform.start();
    project = await makeProject({ baseUrl: platform.baseUrl, ...platform.admin, model, readings: '', print: () => undefined }, new TourLog(() => undefined));
    const form = new FormData();
    form.set('file', await openAsBlob(model), basename(model));
    const [file] = await project.owner.post<Fields[]>('/filesvc/api/v1/files', form, { _namespaces: project.namespace });
    fileId = String(file?.['_id']);
  }, 600_000);
  afterAll(() => platform?.remove());

  const importModel = () => runTask(project, { name: 'Import', component: 'ifc_import', parameters: { _fileId: fileId, name } });
  const get = <T>(path: string, parameters: Fields = {}) => project.owner.get<T>(`${ITEMS}${path}`, parameters as Record<string, object>);
  const versionsOf = async (id: string) => (await get<Page<Version>>(`/${encodeURIComponent(id)}/versions`, { sort: { _version: 1 } }))._list;

  async function membersOfModel(): Promise<Map<string, string>> {
    const [item] = (await get<Page<Fields>>('', { query: { _userType: 'bim_model_version' } }))._list;
    const { _list } = await get<Page<Fields>>(`/${String(item?.['_id'])}/relatedcollections`);
    return new Map([['bim_model_version', String(item?.['_id'])], ..._list.map((member): [string, string] => [String(member['_userType']), String(member['_userItemId'])])]);
  }

  /** `version`: of every collection; without it what a reader sees who names none. */
  const read = async (version?: number): Promise<Reading> => ({ totals: await totalsAt(version), elements: await elementsAt(version) });

  async function totalsAt(version?: number): Promise<Record<string, number>> {
    const totals: Record<string, number> = {};
    for (const [userType, id] of collections) {
      if (userType === 'bim_model_version') continue;
      const meant = version === undefined ? undefined : (await versionsOf(id)).find(({ _version }) => _version === version);
      const page = await get<Page<Fields>>(`/${encodeURIComponent(id)}/relateditems`, { page: { _pageSize: 0 }, ...(meant && { userItemVersionId: meant._id }) });
      totals[userType] = page._total;
    }
    return totals;
  }

  async function elementsAt(version?: number): Promise<[string, number][]> {
    const elements: [string, number][] = [];
    const collectionDesc = { _userItemId: collections.get('rvt_elements'), ...(version !== undefined && { '_versions._version': version }) };
    for (let total = 1; elements.length < total; ) {
      const page = await project.owner.post<Page<{ _versions: { _relatedItems: Page<{ source_id: string; props: Page<Fields> }> }[] }>>(`${ITEMS}/search`, {
        $findWithRelated: {
          parent: { collectionDesc, options: { page: { _offset: elements.length, _pageSize: 500 }, sort: { source_id: 1 } } },
          related: [{ relatedDesc: { _relatedUserType: 'rvt_element_props' }, as: 'props', options: { page: { _pageSize: 0 } } }],
        },
      });
      const { _total, _list } = (page._list[0] as (typeof page._list)[0])._versions[0]?._relatedItems ?? { _total: 0, _list: [] };
      total = _total;
      elements.push(..._list.map(({ source_id, props }): [string, number] => [source_id, props._total]));
    }
    return elements;
  }

  let first: Reading;

  proves('has every product of the file, with its properties', async () => {
    await importModel();
    collections = await membersOfModel();
    first = await read();
    const { products } = scanStep(readFileSync(model, 'utf8'));
    expect(first.elements.map(([id]) => id).sort()).toEqual([...products.keys()].sort());
    expect(first.elements.filter(([, related]) => related === 0).length).toBeLessThan(first.elements.length);
  }, 600_000);

  proves('has a second version of everything the second time, in which nothing has changed, and reads the same at both', async () => {
    const { changes } = await importModel();
    const none = { count: 0, first: [] };
    for (const userType of ['rvt_elements', 'rvt_type_elements', 'ifc_spatial_structure']) expect(changes).toMatchObject({ [userType]: { added: none, changed: none, gone: none } });
    expect(await membersOfModel()).toEqual(collections);
    for (const [userType, id] of collections) expect([userType, (await versionsOf(id)).map(({ _version }) => _version)]).toEqual([userType, [1, 2]]);
    expect(await read(2)).toEqual(first);
    expect(await read(1)).toEqual(first);
    expect(await read()).toEqual(first);
  }, 600_000);

  proves('is as it was when the newest import is deleted version by version', async () => {
    for (const [userType, id] of collections) {
      const [old, newest] = await versionsOf(id);
      await project.owner.request('DELETE', `${ITEMS}/${encodeURIComponent(id)}/versions/${String(newest?._id)}`);
      expect([userType, await versionsOf(id)]).toMatchObject([userType, [{ _id: old?._id }]]);
      expect(await get<Fields>(`/${encodeURIComponent(id)}`)).toMatchObject({ _tipVersion: 1, _tipId: old?._id });
      const contents = userType === 'bim_model_version' ? 'relatedcollections' : 'relateditems';
      const gone = project.owner.get(`${ITEMS}/${encodeURIComponent(id)}/${contents}`, { userItemVersionId: String(newest?._id) });
      await expect(gone).rejects.toThrow(/404/);
      expect((await read(1)).totals).toEqual(first.totals);
    }
    expect(await read()).toEqual(first);
    await importModel();
    // A number is never used twice.
    for (const [userType, id] of collections) expect([userType, (await versionsOf(id)).map(({ _version }) => _version)]).toEqual([userType, [1, 3]]);
    expect(await read()).toEqual(first);
  }, 600_000);
});
