import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lacking, pythonClientIn } from '../generated-clients';
import { heyApi, openApiFetch } from '../generators';

const documentOf = (operations: Readonly<Record<string, readonly string[]>>, schemas: readonly string[]) => JSON.stringify({
  openapi: '3.1.0', info: { title: 'Things', version: '1' },
  paths: Object.fromEntries(Object.entries(operations).map(([operationId, names]) => [`/${operationId}/{id}`, {
    get: {
      operationId,
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }, ...names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }))],
      responses: { 200: { description: '', content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
    },
  }])),
  components: { schemas: Object.fromEntries(schemas.map((name) => [name, { type: 'object', properties: { page: { type: 'string' } } }])) },
});

const GIVEN = documentOf({ getThing: ['_name', '_user._id'] }, ['Thing']);
const WANTED = documentOf({ getThing: ['_name', '_user._id', 'page'], listThings: [] }, ['Thing', 'Page']);
const LACKING = ['operation listThings', 'parameter getThing page', 'schema Page'];

describe('what a client leaves out', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'twinyard-client-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([openApiFetch, heyApi])('is found in that of $name: an operation, a parameter, a schema', async (generator) => {
    writeFileSync(join(folder, 'openapi.json'), GIVEN);
    expect(await generator.generate(folder)).toEqual([]);
    expect([lacking(generator.made(folder), GIVEN), lacking(generator.made(folder), WANTED)]).toEqual([[], LACKING]);
  });

  it('is found in that of openapi-python-client, which leaves out what it warns of', () => {
    const root = join(folder, 'twinyard', 'twinyard_client');
    for (const [path, text] of [
      ['api/default/get_thing.py', '"url": "/getThing/{id}".format(id=quote(str(id), safe="")),\n params["_name"] = name\n params["_user._id"] = user_id'],
      ['models/__init__.py', '__all__ = (\n    "Thing",\n)'],
    ] as const) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    expect([lacking(pythonClientIn(folder), GIVEN), lacking(pythonClientIn(folder), WANTED)]).toEqual([[], LACKING]);
  });
});
