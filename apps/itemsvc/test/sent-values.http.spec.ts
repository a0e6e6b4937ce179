import { createHash } from 'node:crypto';
import { BULK_BODY_LIMIT, RECORD_BODY_LIMIT } from '@twinyard/service-kit';
import fc from 'fast-check';
import { MAX_LOGGED_BYTES } from '../src/updatelogs/kept-changes';
import { ItemService, type Json, NS } from './item-service';
import { imported, upload } from './transfers';

const MEGABYTE = 1024 ** 2;
const JSON_TEXT = { headers: { 'content-type': 'application/json' } };
const INEXACT = 'is a number that cannot be kept as it is; send it as a text';
/** As they are written in a list. */
const numbersIn = (json: string, name: string) => (new RegExp(`"${name}":\\s*\\[([^\\]]*)\\]`).exec(json)?.[1] ?? '').split(',').map((number) => number.trim()).filter((number) => number !== '');
const digestOf = (text: unknown) => createHash('sha256').update(String(text)).digest('hex');

describe('what is sent', () => {
  let items: ItemService;
  let item: Json;
  beforeAll(async () => {
    items = await ItemService.start();
    item = await items.item('NamedUserCollection');
  });
  afterAll(() => items.stop());

  const path = (rest = '', of = item) => `nameduseritems/${of._id}/relateditems${rest}`;
  const sent = async (method: 'post' | 'put', to: string, json: string) => {
    const { status, body } = await items.call(method, to, { body: json, ...JSON_TEXT });
    return [status, body.code, body.message];
  };

  describe('numbers that would not be kept', () => {
    it.each<[string, string, string]>([
      ['[{"n": 1}, {"serial": 9007199254740993}]', '[1].serial', '9007199254740993'],
      ['[{"a": {"b c": [0, -9007199254740995]}}]', '[0].a.b c[1]', '-9007199254740995'],
      ['[{"ean": "1", "article": 12345678901234567890}]', '[0].article', '12345678901234567890'],
      ['[{"big": 1e400}]', '[0].big', '1e400'],
      ['[{"small": 3e-400}]', '[0].small', '3e-400'],
      ['[{"half": 9007199254740993.5}]', '[0].half', '9007199254740993.5'],
    ])('are refused, and nothing of the request is written: %s', async (json, field, number) => {
      for (const to of [path(), path('/bulk')]) expect(await sent('post', to, json)).toEqual([400, 'inexact_number', `${field}: ${number} ${INEXACT}`]);
      expect(await items.total(item)).toBe(0);
    });

    it('are refused wherever JSON is sent', async () => {
      const of = await items.item('NamedUserCollection');
      const [made] = await items.related(of, [{ n: 1 }]);
      const telemetry = await items.item('NamedTelemetryCollection');
      const timestamp = '2024-01-01T00:00:00Z';
      const requests: [method: 'post' | 'put', to: string, json: string][] = [
        ['put', path(`/${made?._id}`, of), `{"_id":"${made?._id}","n":9007199254740993}`],
        ['put', path('', of), `[{"_id":"${made?._id}","n":9007199254740993}]`],
        ['post', 'nameduseritems', `[{"_name":"c","_shortName":"c","_userType":"c","_itemClass":"UserConfig","_namespaces":["${NS}"],"_version":{"_userData":{"n":9007199254740993}}}]`],
        ['post', `nameduseritems/${of._id}/versions`, '{"_userAttributes":{"n":9007199254740993}}'],
        ['post', path('/readings', telemetry), `[{"_tsMetadata":{"_telItemId":"${made?._id}","_sourceId":"s"},"timestamp":"${timestamp}","value":9007199254740993}]`],
        ['post', 'nameduseritems/search', '{"$findAll":{"collections":[{"query":{"n":9007199254740993}}]}}'],
      ];
      for (const [method, to, json] of requests) expect([to, ...(await sent(method, to, json)).slice(0, 2)]).toEqual([to, 400, 'inexact_number']);
      const { body } = await items.get(`${path('', of)}`, { query: { query: '{"n":{"$in":[1,9007199254740993]}}' } });
      expect([body.code, body.details]).toEqual(['inexact_number', [{ field: 'query.n.$in[1]', issue: `9007199254740993 ${INEXACT}` }]]);
      expect((await items.get(path(`/${made?._id}`, of))).body.n).toBe(1);
      // What only says where to begin is no value that anybody keeps.
      expect((await items.get(path('', of), { query: { page: '{"_offset":0,"_pageSize":9223372036854775807}' } })).status).toBe(200);
    });

    it('are all others, which come back as they were sent', async () => {
      const numbers = ['9007199254740992', '9007199254740994', '-9007199254740992', '0.1', '1e-7', '1e+23', '5e-324', '123456789012345680000'];
      const of = await items.item('NamedUserCollection');
      expect(await sent('post', path('', of), `[{"n":[${numbers.join(',')}],"_id":"${'a'.repeat(24)}"}]`)).toEqual([201, undefined, undefined]);
      const { text } = await items.get(path(`/${'a'.repeat(24)}`, of));
      expect(numbersIn(text, 'n').map(Number)).toEqual(numbers.map(Number));
      // A record that was read is sent back whole.
      expect((await sent('put', path(`/${'a'.repeat(24)}`, of), text))[0]).toBe(200);
    });

    it('are refused lines of a file, and in a cell of CSV that is a number a text', async () => {
      const lines = ['{"serial":1}', '{"serial":9007199254740993}', '{"a":{"b":[1e999]}}', '9007199254740993', '{"serial":"9007199254740993"}'].join('\n');
      const { _response: { _body } } = await imported(items, await items.item('NamedUserCollection'), lines, { query: { mode: 'rows' } });
      expect([_body._created, _body._refused.slice(0, 2)]).toEqual([2, [
        { _line: 2, _reason: `serial: 9007199254740993 ${INEXACT}` }, { _line: 3, _reason: `a.b[0]: 1e999 ${INEXACT}` },
      ]]);
      const of = await items.item('NamedUserCollection');
      const csv = await imported(items, of, 'serial,spec\n9007199254740993,1\n2,"{""x"":9007199254740993}"\n3,{9007199254740993\n', { query: { mode: 'rows', format: 'csv' } });
      expect(csv._response._body).toMatchObject({ _created: 2, _refused: [{ _line: 3, _reason: `spec.x: 9007199254740993 ${INEXACT}` }] });
      expect((await items.get(path('', of), { query: { project: { serial: 1, spec: 1, _id: 0 } } })).body._list).toMatchObject([{ serial: '9007199254740993', spec: 1 }, { serial: 3, spec: '{9007199254740993' }]);
    });
  });

  it('comes out equal, or is refused with the path of what would not', async () => {
    const number = fc.oneof(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String), fc.integer().map(String), fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)), fc.constantFrom('1e400', '-1e-400', '0.10', '9007199254740993.0'));
    const of = await items.item('NamedUserCollection');
    const refused: string[] = [];
    await fc.assert(fc.asyncProperty(fc.array(number, { maxLength: 3 }), fc.oneof({ weight: 40, arbitrary: fc.jsonValue() }, fc.constant(JSON.parse('[{"__proto__":null}]') as unknown)), async (numbers, other) => {
      const json = `{"numbers":[${numbers.join(',')}],"other":${JSON.stringify(other)}}`;
      const { status, body } = await items.call('post', path('', of), { body: `[${json}]`, ...JSON_TEXT });
      if (status === 400) {
        expect(body.details[0].field).toMatch(/^\[0\]\.(numbers\[\d\]|other)/);
        refused.push(body.code);
        return;
      }
      const { text } = await items.get(path(`/${body._list[0]._id}`, of));
      expect(JSON.parse(text)).toMatchObject(JSON.parse(JSON.stringify({ other })));
      const back = numbersIn(text, 'numbers');
      // An integer has all of its digits, or the double that it is; any other is the nearest double.
      for (const [at, sent] of numbers.entries()) {
        expect(Number(back[at])).toBe(Number(sent));
        if (/^-?\d{16,}$/.test(sent)) expect([BigInt(Number(sent)).toString(), BigInt(Number(back[at])).toString(), String(back[at])]).toContain(sent);
      }
    }), { numRuns: 60, examples: [[['9007199254740993'], 1], [['1', '1e400'], null], [['123456789012345680000', '9007199254740994'], { a: ['ü\u2028'] }], [['0.1'], { $a: 1 }]] });
    expect(new Set(refused)).toEqual(new Set(['inexact_number', 'invalid']));
  });

  it('in other bytes than UTF-8 is refused with their place, whole or in chunks, and nothing is written', async () => {
    const of = await items.item('NamedUserCollection');
    const refused = { status: 400, body: { code: 'invalid', message: 'body: is not UTF-8 from byte 10 on', details: [{ field: 'body', issue: 'is not UTF-8 from byte 10 on' }] } };
    const bytes = Buffer.from('[{"name":"\xfcber"}]', 'latin1');
    expect(await upload(items, path('', of), bytes, { headers: { 'content-type': 'application/json', 'content-length': String(bytes.length) } })).toMatchObject(refused);
    expect(await upload(items, path('', of), bytes, { headers: { 'content-type': 'application/json' } })).toMatchObject(refused);
    for (const hex of ['c0af', 'eda080', 'f0908d', 'ff']) {
      expect((await upload(items, path('', of), Buffer.concat([Buffer.from('[{"a":"'), Buffer.from(hex, 'hex'), Buffer.from('"}]')]), JSON_TEXT)).body.message).toBe('body: is not UTF-8 from byte 7 on');
    }
    const file = Buffer.from('{"name":"ok"}\n{"name":"T\xfcr"}\n', 'latin1');
    expect((await upload(items, `${path('', of)}/import`, file, { query: { mode: 'rows' } })).body.message).toBe('body: is not UTF-8 from byte 24 on');
    expect(await items.total(of)).toBe(0);
    expect((await upload(items, path('', of), Buffer.from('[{"a":"ü \ufffd"}]'), JSON_TEXT)).body._list[0].a).toBe('ü \ufffd');
  });

  describe('in a large body', () => {
    const large = (bytes: number, character = 'x') => character.repeat(bytes);

    it('is kept, as one item of up to 16 MB, and replaced; its log names what was too large for it', async () => {
      const of = await items.item('NamedUserCollection');
      const [first, second] = [large(15 * MEGABYTE), large(15 * MEGABYTE, 'y')];
      const made = await items.post(path('', of), [{ plan: first, note: 'a' }]);
      expect([made.status, digestOf(made.body._list?.[0].plan)]).toEqual([201, digestOf(first)]);
      const { _id } = made.body._list[0];
      expect((await items.put(path(`/${_id}`, of), { _id, plan: second, note: 'b' })).status).toBe(200);
      const { body } = await items.get(path(`/${_id}`, of));
      expect([digestOf(body.plan), body.note]).toEqual([digestOf(second), 'b']);
      const [update] = (await items.get(path(`/${_id}/updatelogs`, of))).body._list;
      expect(update._changes).toEqual(expect.arrayContaining([{ _path: 'plan', _isCut: true }, { _path: 'note', _from: 'a', _to: 'b' }]));
      expect(JSON.stringify(update).length).toBeLessThan(MAX_LOGGED_BYTES);
    });

    it('is kept, as the data of a configuration', async () => {
      const data = { rows: Array.from({ length: 12 }, (_, n) => large(MEGABYTE, String.fromCharCode(97 + n))) };
      const of = await items.item('UserConfig', { _version: { _userData: data } });
      const { body } = await items.get(`nameduseritems/${of._id}`);
      expect(digestOf(JSON.stringify(body._versions[0]._userData))).toBe(digestOf(JSON.stringify(data)));
      const changed = { ...body._versions[0], _userData: { rows: [large(13 * MEGABYTE)] } };
      expect((await items.put(`nameduseritems/${of._id}/versions/${body._tipId}`, changed)).status).toBe(201);
      expect((await items.get(`nameduseritems/${of._id}`)).body._versions[0]._userData.rows[0]).toHaveLength(13 * MEGABYTE);
    });

    it('is refused above 17 MB, as one item above 16 MB, and as a bulk above 10 MB, with the limit', async () => {
      const of = await items.item('NamedUserCollection');
      const refusals = [
        await items.post(path('', of), [{ plan: large(RECORD_BODY_LIMIT) }]),
        await items.post(path('', of), [{ plan: large(16 * MEGABYTE) }]),
        await items.post(path('/bulk', of), [{ plan: large(BULK_BODY_LIMIT) }]),
      ].map(({ status, body }) => [status, body.code, body.message]);
      expect(refusals).toEqual([
        [413, 'too_large', `The body has more than ${RECORD_BODY_LIMIT} bytes`],
        [413, 'too_large', expect.stringMatching(/^[0-9a-f]{24} has \d+ bytes; at most 16777216 are kept of one$/)],
        [413, 'too_large', `The body has more than ${BULK_BODY_LIMIT} bytes`],
      ]);
      expect(await items.total(of)).toBe(0);
    });

    it('may hold a thousand items', async () => {
      const of = await items.item('NamedUserCollection');
      const { status, body } = await items.post(path('', of), Array.from({ length: 1_000 }, (_, n) => ({ n, text: large(16_000) })));
      expect([status, body._total, await items.total(of, { n: { $gte: 0 } })]).toEqual([201, 1_000, 1_000]);
    });

    it('is refused where it is nested without end', async () => {
      const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
      expect(await sent('post', 'nameduseritems', `[{"_version":{"_userData":${deep}}}]`)).toEqual([400, 'invalid', 'body: is nested deeper than 150 levels']);
      expect((await sent('post', path('/bulk'), `[{"a":${deep}}]`)).slice(0, 1)).toEqual([400]);
    });
  });
});
