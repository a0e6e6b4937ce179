import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiDocument, itBoundsLists } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest } from './filesvc-under-test';

const MOST = 1_000;
const CONTENTS = ['1', '22', '333', '4444', '55555', '666666'];

describe('lists that weigh more than an answer may', () => {
  let filesvc: FilesvcUnderTest;
  let folder: FileBody;

  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start({ ANSWER_MAX_BYTES: MOST });
    folder = await filesvc.makeFolder('folder');
    for (const content of CONTENTS) await filesvc.upload(`${content}.txt`, content, { _parents: folder._id });
  });
  afterAll(() => filesvc?.stop());

  itBoundsLists({
    document: JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as ApiDocument,
    most: MOST,
    ask: async (path, { offset, size }) => filesvc.as('owner', 'get', path, { _offset: offset, _pageSize: size }),
    lists: {
      [`GET ${FILES}`]: () => Promise.resolve(FILES),
      [`GET ${FILES}/{parent_id}/children`]: () => Promise.resolve(`${FILES}/${folder._id}/children`),
      [`GET ${FILES}/{id}/versions`]: async () => {
        for (const content of CONTENTS) await filesvc.upload('again.txt', content, { _parents: folder._id });
        const [file] = (await filesvc.list({ _parents: folder._id, _name: '^again' }))._list;
        return `${FILES}/${file?._id}/versions`;
      },
      'GET /filesvc/api/v1/permissions': 'cut by passportsvc, which answers it',
    },
  });
});
