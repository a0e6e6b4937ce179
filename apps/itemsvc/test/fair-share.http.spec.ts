import { get as fetchFrom, request as send } from 'node:http';
import { once } from 'node:events';
import { eventually } from '@twinyard/testing';
import { MALLORY, related, TwoTenants } from './two-tenants';
import { imported } from './transfers';

describe('beside a tenant that takes all it can get', () => {
  let tenants: TwoTenants;
  beforeAll(async () => { tenants = await TwoTenants.start(); });
  beforeEach(() => tenants.renew());
  afterAll(() => tenants.items.stop());

  it('an export whose reader takes nothing is cut, and its place is another\'s', async () => {
    await tenants.items.post(`${related(tenants.theirs)}/bulk`, Array.from({ length: 900 }, (_, n) => ({ n, text: 'x'.repeat(10_000) })), MALLORY);
    const impatient = await tenants.items.twin({ EXPORT_STALL_SECONDS: '1' });
    try {
      const { url, token } = await impatient.address(`${related(tenants.theirs)}/export`, MALLORY);
      const stalled = await Promise.all(Array.from({ length: 2 }, async () => {
        const request = fetchFrom(url, { headers: { authorization: `Bearer ${token}` } }).on('error', () => undefined);
        const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
        response.pause().on('error', () => undefined);
        return request;
      }));
      await eventually(async () => expect((await impatient.get(`${related(tenants.theirs)}/export`, { ...MALLORY, query: { query: { n: 1 } } })).status).toBe(200));
      stalled.forEach((request) => request.destroy());
    } finally {
      await impatient.leave();
    }
  });

  it('imports are taken in, though files of the other never end', async () => {
    const { url, token } = await tenants.items.address(`${related(tenants.theirs)}/import`, MALLORY);
    const endless = Array.from({ length: 12 }, () => {
      const request = send(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } }).on('error', () => undefined);
      request.write('{"n":1}\n');
      return request;
    });
    expect((await imported(tenants.items, tenants.mine, '{"n":1}\n{"n":2}'))._response._body._created).toBe(2);
    // The other's own, too: a file that is slow to come holds no place.
    const others = await Promise.all(Array.from({ length: 6 }, () => imported(tenants.items, tenants.theirs, '{"n":1}', MALLORY)));
    expect(others.map(({ _response }) => _response._body._created as number)).toEqual(others.map(() => 1));
    await tenants.expectProgress();
    endless.forEach((request) => request.destroy());
  });
});
