import { ItemService, type Json, NS } from './item-service';

describe('a script that does not parse', () => {
  const BROKEN = 'export default () => {\n  const = 1;\n};';
  const FAULT = expect.stringMatching(/^does not parse: .+ \(line 2, column \d+\)$/) as string;
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  const draft = (_userData: unknown, _itemClass = 'Script'): Json =>
    ({ _name: 'Energy', _shortName: 'energy', _namespaces: [NS], _userType: 'energy', _itemClass, _version: { _userData } });
  const made = async (...drafts: Json[]) => {
    const { status, body } = await items.post('nameduseritems', drafts);
    expect([status, body['_list'].length]).toEqual([201, drafts.length]);
    return body;
  };

  it('is kept, and its author hears where it is wrong', async () => {
    const body = await made(draft('export default () => 1;'), draft(BROKEN), draft(BROKEN, 'UserConfig'));
    expect(body['_warnings']).toEqual([{ field: '[1]._version._userData', issue: FAULT }]);
    const { _id } = body['_list'][1] as Json;
    expect((await items.get(`nameduseritems/${_id}`)).body).toMatchObject({ _versions: [{ _userData: BROKEN }] });
  });

  it.each([['imports what is not there yet', 'import { area } from "script:areas";\nexport default () => area(1);'], ['waits at its top', 'await null;'], ['is empty', '']])('is none that %s', async (_what, source) => {
    expect(await made(draft(source))).not.toHaveProperty('_warnings');
  });

  it('is told of each version that is written, as long as it is not mended', async () => {
    const { _list: [script] } = await made(draft('export default () => 1;'));
    const versions = `nameduseritems/${(script as Json)._id}/versions`;
    const next = await items.post(versions, { _userData: BROKEN });
    expect([next.status, next.body['_warnings']]).toEqual([201, [{ field: '_userData', issue: FAULT }]]);
    const version = `${versions}/${next.body['_id']}`;
    expect((await items.put(version, { _userAttributes: { reviewed: true } })).body).not.toHaveProperty('_warnings');
    expect((await items.put(version, { _userData: { no: 'module' } })).body['_warnings']).toEqual([{ field: '_userData', issue: expect.stringMatching(/^does not parse/) as string }]);
    expect((await items.put(version, { _userData: 'export default () => 2;' })).body).not.toHaveProperty('_warnings');
    expect((await items.get(version)).body).not.toHaveProperty('_warnings');
  });
});
