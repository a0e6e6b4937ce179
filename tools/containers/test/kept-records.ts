import { openAsBlob, readFileSync } from 'node:fs';
import type { Fields } from '../../tour/api';
import { ITEMS, makeItem } from '../../tour/steps/items';
import type { Project } from '../../tour/steps/project';

const FILES = '/filesvc/api/v1/files';
const GROUPS = '/notificationsvc/api/v1/group';

export async function uploadFile({ owner, namespace }: Project, name: string, content: Blob): Promise<Fields> {
  const form = new FormData();
  form.set('file', content, name);
  const [file = {}] = await owner.post<Fields[]>(FILES, form, { _namespaces: namespace });
  return file;
}

/** A record of each kind of store: an item of MongoDB, a group of PostgreSQL, a file's bytes of S3. What it answers sees that they are there. */
export async function makeRecords(project: Project, path: string): Promise<() => Promise<void>> {
  const { owner, namespace } = project;
  const name = `kept${Date.now()}`;
  const item = await makeItem(project, { _name: name, _shortName: name, _userType: 'kept', _itemClass: 'NamedUserCollection' });
  const group = await owner.post(GROUPS, { _name: name, _namespaces: [namespace] });
  const file = await uploadFile(project, `${name}.csv`, await openAsBlob(path));
  return async () => {
    expect(await owner.get(`${ITEMS}/${item}`)).toMatchObject({ _name: name });
    expect(await owner.get(`${GROUPS}/${String(group['_id'])}`)).toMatchObject({ _name: name });
    const { _url } = await owner.get<{ _url: string }>(`${FILES}/${String(file['_id'])}/url`);
    expect(await (await fetch(_url)).text()).toBe(readFileSync(path, 'utf8'));
  };
}
