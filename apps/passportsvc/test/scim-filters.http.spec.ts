import { randomUUID } from 'node:crypto';
import { processorTime } from '@twinyard/testing';
import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { parseUserFilter } from '../src/scim/filter/filter-parser';
import { SqlParameters, toSql } from '../src/scim/filter/filter-sql';
import { type PassportApp, startPassport } from './passport-app';
import { organizationScim, type ScimClient, USER } from './scim-client';
import { filters, people, type WrittenFilter } from './scim-filter-oracle';
import { newTenant } from './tenancy';

type User = Record<string, unknown> & { readonly id: string; readonly meta: { readonly created: string } };

describe('SCIM filters', () => {
  let passport: PassportApp;
  let scim: ScimClient;
  let users: readonly User[];

  beforeAll(async () => {
    passport = await startPassport();
    scim = await organizationScim(passport, (await newTenant(passport, 'Filters')).organization._id);
    for (const person of fc.sample(people, { numRuns: 40, seed: 7 })) {
      const emails = (person.emails as object[] | undefined)?.map((email, index) => ({ value: `${['Ab', 'b', 'x_y'][index]}.${randomUUID()}@example.com`, ...email }));
      const { status, body } = await scim.post('/Users', { schemas: [USER], userName: `${person.title ?? 'u'}.${randomUUID()}`, ...person, emails });
      if (status !== 201) throw new Error(JSON.stringify(body));
    }
    users = (await scim.get('/Users?count=1000')).body.Resources as User[];
  });
  afterAll(() => passport?.stop());

  const found = async (text: string) => {
    const { status, body } = await scim.post('/Users/.search', { filter: text, count: 1_000, attributes: ['id'] });
    if (status !== 200) throw new Error(`${text}: ${JSON.stringify(body)}`);
    return (body as { Resources: User[] }).Resources.map(({ id }) => id);
  };

  it('choose in the database what the words of the RFC choose among the same users in memory', async () => {
    const times = [...new Set(users.map(({ meta }) => meta.created))].slice(0, 3);
    let nonTrivial = 0;
    await fc.assert(fc.asyncProperty(filters([...times, '2000-01-01T00:00:00Z']), async ({ text, holds }: WrittenFilter) => {
      const expected = users.filter(holds).map(({ id }) => id);
      if (expected.length > 0 && expected.length < users.length) nonTrivial += 1;
      expect(await found(text)).toEqual(expected);
    }), { numRuns: 250 });
    expect(nonTrivial).toBeGreaterThan(60);
  });

  it.each([
    'userName sw "a" and (emails co "example.com" or emails.value co "example.org")', 'userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")', 'emails[type eq "work" and value co "@example.com"]',
    'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]', 'title pr and userType eq "Employee"', 'meta.lastModified gt "2011-05-13T04:42:34Z"', 'emails[type eq "work"].value ew "@example.com"',
    `${USER}:userName sw "J"`, 'active eq "True"', 'meta.created gt "2011-05-13T04:42:34+02:00"', 'meta.created gt "2011-05-13T04:42:34"', '((((userName pr))))', ' userName  eq  "x" ', 'manager pr'.replace('manager', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager'),
  ])('are read: %s', async (text) => {
    expect((await scim.find(text)).status).toBe(200);
  });

  it.each([
    'userName', 'userName eq', 'eq "x"', 'userName is "x"', 'userName eq x', 'userName eq "x', 'userName eq \'x\'', '(userName pr', 'userName pr)', 'userName pr and', 'not userName pr', 'userName pr userName pr', 'unknown pr', 'name.unknown pr', 'name eq "x"',
    'password eq "x"', 'active gt true', 'active co "t"', 'active eq "maybe"', 'userName gt 5', 'userName eq true', 'userName co null', 'meta.created eq "yesterday"', 'meta.created sw "2026"', 'meta.created gt "2026-13-45T99:00:00Z"', 'emails[type eq "work"', 'emails[]',
    'userName[type eq "work"]', 'emails[emails[type pr]]', 'emails[unknown pr]', 'emails[type eq "work"].unknown eq "x"', 'a.b.c pr', 'userName eq "\\x"', 'userName eq "\\u0000"', 'userName eq "\\ud800"', '; DROP TABLE app_user', 'urn:x:y eq "z"', 'constructor pr', '__proto__ pr', 'name.__proto__ pr',
  ])('are refused: %s', async (text) => {
    expect(await scim.find(text)).toMatchObject({ status: 400, body: { scimType: 'invalidFilter', status: '400' } });
  });

  it('cannot say anything to the database but what they mean', async () => {
    for (const value of ['\' OR 1=1 --', '"; DROP TABLE app_user; --', '$1', '%', '_', '\\', '{}', '[*]', 'x\') OR (\'1\'=\'1']) {
      for (const path of ['userName', 'externalId', 'nickName', 'title']) expect(await found(`${path} eq ${JSON.stringify(value)}`)).toEqual(users.filter((user) => user[path] === value).map(({ id }) => id));
    }
    expect((await scim.get('/Users?sortBy=userName;DROP%20TABLE%20app_user')).status).toBe(400);
    expect((await scim.get('/Users')).body.totalResults).toBe(users.length);
  });

  it('are bounded in depth, number and length, and refused without delay', async () => {
    const nested = (depth: number) => `${'('.repeat(depth)}userName pr${')'.repeat(depth)}`;
    const many = (count: number) => Array.from({ length: count }, (_, index) => `emails[value co "${index}" and not (type eq "x")]`).join(' or ');
    expect((await found(nested(20))).length).toBe(users.length);
    expect((await found(many(50))).length).toBeGreaterThan(0);
    const refused = async () => {
      for (const text of [nested(21), nested(4_000), many(51), `userName eq "${'x'.repeat(10_000)}"`, 'not ('.repeat(1_900), `${'emails['.repeat(1_000)}`, `userName ${' '.repeat(9_900)}x`]) {
        expect(await scim.post('/Users/.search', { filter: text })).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
      }
    };
    expect(await processorTime(refused, 2_000)).toBeLessThan(2_000);
  });

  it.each([['USERNAME eq "X"', 'Index Cond: (user_name_key = '], ['externalId eq "7"', `Index Cond: ((document ->> 'externalId'::text) = `]])('find a user through an index: %s', async (text, indexed) => {
    const parameters = new SqlParameters();
    const condition = toSql(parseUserFilter(text), parameters);
    const plan = await passport.app.get(DataSource, { strict: false }).transaction(async (manager) => {
      await manager.query('SET LOCAL enable_seqscan = off');
      return manager.query<unknown[]>(`EXPLAIN SELECT u.id FROM app_user u LEFT JOIN scim_user s ON s.user_id = u.id WHERE ${condition}`, parameters.values);
    });
    expect(JSON.stringify(plan)).toContain(indexed);
  });
});
