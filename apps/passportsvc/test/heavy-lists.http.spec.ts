import { eventually } from '@twinyard/testing';
import { type PassportApp, startPassport } from './passport-app';
import { type Caller, newPerson, newTenant, type Tenant } from './tenancy';

/** One record or two, of any list. */
const MOST = 700;

describe('lists of records that are heavy together', () => {
  let passport: PassportApp;
  let house: Tenant;
  let people: readonly Caller[];

  beforeAll(async () => {
    passport = await startPassport({ ANSWER_MAX_BYTES: MOST });
    house = await newTenant(passport, 'House');
    people = await Promise.all(['Ann', 'Ben', 'Cleo', 'Dora', 'Emil'].map((name) => newPerson(passport, name)));
  });
  afterAll(() => passport?.stop());

  /** All ids of a list, in pages of which each goes on behind the one before, and how many pages there were. */
  async function through(caller: Caller, path: string): Promise<{ readonly ids: readonly string[]; readonly pages: number }> {
    const ids: string[] = [];
    let pages = 0;
    for (let total = 1; ids.length < total; pages += 1) {
      const { status, body } = await caller.get(`${path}?_offset=${ids.length}&_pageSize=500`);
      expect([status, body._list.length > 0]).toEqual([200, true]);
      total = body._total as number;
      expect(body._pageSize).toBe(ids.length + body._list.length < total ? body._list.length : 500);
      ids.push(...(body._list as { _id: string }[]).map(({ _id }) => _id));
    }
    return { ids, pages };
  }

  it('end where the answer is full, and go on behind it: access keys', async () => {
    const [ann] = people as [Caller];
    const made: string[] = [];
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) made.push((await ann.post('/users/me/accesskeys', { _name: name.padEnd(100, '.') })).body._id as string);
    const { ids, pages } = await through(ann, '/users/me/accesskeys');
    expect([ids, pages > 1]).toEqual([made, true]);
  });

  it('end where the answer is full, and go on behind it: members of a group', async () => {
    const group = (await house.inApp.post('/usergroups', [{ _name: 'Crew', _shortName: 'crew' }])).body._list[0] as { _id: string };
    await house.inApp.post(`/usergroups/${group._id}/users`, people.map(({ id }) => id));
    const { ids, pages } = await through(house.inApp, `/usergroups/${group._id}/users`);
    expect([new Set(ids).size, people.every(({ id }) => ids.includes(id)), pages > 1]).toEqual([ids.length, true, true]);
  });

  it('end where the answer is full, and go on behind it: the audit log', async () => {
    for (const _name of ['North', 'South', 'East', 'West']) expect((await house.inApp.post('/workspaces', [{ _name }])).status).toBe(201);
    await eventually(async () => {
      const { ids, pages } = await through(house.inApp, '/audit');
      expect([ids.length >= 4, new Set(ids).size, pages > 1]).toEqual([true, ids.length, true]);
    });
  });
});
