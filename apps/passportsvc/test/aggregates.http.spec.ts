import { AGGREGATES_PATH, type AggregatesResponse } from '@twinyard/events';
import { type PassportApp, startPassport } from './passport-app';
import { newTenant, type Tenant } from './tenancy';

describe('what there is, told to the other services', () => {
  let passport: PassportApp;
  let acme: Tenant;
  beforeAll(async () => {
    passport = await startPassport();
    acme = await newTenant(passport, 'Acme');
  });
  afterAll(() => passport?.stop());

  const post = (body: object, token = passport.settings.SERVICE_TOKEN) =>
    fetch(passport.baseUrl + AGGREGATES_PATH, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const ask = async (body: object) => (await (await post(body)).json()) as AggregatesResponse;

  it.each(['workspace', 'usergroup'])('every %s with what its events told, and of deleted ones the number of the last', async (noun) => {
    const [kept, gone] = (await acme.inApp.post(`/${noun}s`, [{ _name: 'Kept' }, { _name: 'Gone' }])).body._list.map(({ _id }: { _id: string }) => _id) as [string, string];
    await acme.inApp.put(`/${noun}s/${kept}`, { _name: 'Renamed' });
    expect((await acme.inApp.delete(`/${noun}s/${gone}`)).status).toBeLessThan(300);
    const { aggregates } = await ask({ topic: `passportsvc.${noun}` });
    const state = (id: string) => aggregates.find(({ key }) => key === id);
    expect(state(kept)?.resources).toEqual([{
      resource: expect.objectContaining({ _id: kept, _name: 'Renamed', _applicationNamespace: acme.app._namespaces[0] }), madeAt: expect.any(String), changedAt: expect.any(String),
    }]);
    expect(state(kept)?.sequence).toBeGreaterThanOrEqual(2);
    expect(state(gone)).toMatchObject({ resources: [] });
    expect(state(gone)?.sequence).toBeGreaterThanOrEqual(2);
  });

  it('is closed to whoever does not know the service token', async () => {
    expect((await post({ topic: 'passportsvc.workspace' }, 'guess')).status).toBe(401);
    expect((await post({ topic: 'passportsvc.user' })).status).toBe(400);
  });
});
