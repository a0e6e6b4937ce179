import { randomUUID } from 'node:crypto';
import { SERVICES } from '@twinyard/conventions';
import { Outbox, resourceDeleted } from '@twinyard/events';
import { Jobs } from '@twinyard/jobs';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { eventually, tellAgain } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import { MAIL } from '../src/mails/mails.repository';
import { SecretValues } from '../src/secrets/secret-values';
import { type PassportApp, startPassport } from './passport-app';
import { type Caller, grant, newPerson, newTenant, type Tenant } from './tenancy';

interface Owned {
  readonly _id: string;
  readonly _namespaces: string[];
}

describe('purges', () => {
  let passport: PassportApp;
  let acme: Tenant;
  let other: Tenant;
  beforeAll(async () => {
    passport = await startPassport();
    [acme, other] = [await newTenant(passport, 'Acme'), await newTenant(passport, 'Other')];
  });
  afterAll(async () => { await passport.stop(); });

  const rows = <R = Record<string, unknown>>(sql: string, ...parameters: unknown[]) => passport.app.get(DataSource, { strict: false }).query<R[]>(sql, parameters);
  const namespaceOf = ({ _namespaces }: Owned) => _namespaces[0] as string;
  const make = async (caller: Caller, path: string): Promise<Owned> => (await caller.post(path, [{ _name: `Tower ${randomUUID().slice(0, 8)}` }])).body._list[0] as Owned;
  const grantsIn = async (namespace: string) => (await rows('SELECT id FROM permission WHERE namespace = $1', namespace)).length;

  /** What is left in any table, by the name of its column or anywhere in a record. */
  const tablesThatName = async (text: string): Promise<string[]> => {
    const tables = await rows<{ name: string }>(`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`);
    const found = await Promise.all(tables.map(async ({ name }) => ((await rows(`SELECT 1 FROM "${name}" t WHERE strpos(t::text, $1) > 0 LIMIT 1`, text)).length > 0 ? [name] : [])));
    return found.flat();
  };
  /** What tells that it was: the log of what happened, the answers of the last 24 hours, and that the name is not to come again. */
  const MEMORY = /^(audit_|event_|dead_letter|durable_requests$|namespace_purge$)/;

  /** The other services, which do not run here, say what they say when they are done. */
  const othersAreDone = async (namespace: string, services: readonly (typeof SERVICES)[number][] = SERVICES.filter((name) => name !== 'passportsvc')) => {
    const [asked] = await rows<{ request_id: string }>('SELECT request_id FROM purge WHERE namespace = $1', namespace);
    const origin = { userId: acme.owner.id, requestId: asked?.request_id ?? 'none' };
    const events = services.map((service) => resourceDeleted(`${service}.Namespace`, { _id: namespace, _irn: `${service}:namespace:${namespace}`, _namespaces: [namespace], _removed: 3 }, origin));
    await passport.app.get(TypeOrmUnitOfWork, { strict: false }).run((tx) => passport.app.get(Outbox, { strict: false }).append(tx, ...events));
  };
  const doneBy = async (namespace: string) => (await rows<{ done_by: string[] }>('SELECT done_by FROM purge WHERE namespace = $1', namespace))[0]?.done_by;

  const addProfile = async (owner: Caller, name: string, namespaces: readonly string[]) => {
    const permissions = namespaces.map((namespace) => ({ _namespace: namespace, _actions: ['READ'], _resourceDesc: { _irn: 'itemsvc:nameduseritem:*' } }));
    const accepted = await owner.full('POST', '/permissionprofiles', [{ _name: name, _userType: 'purged', _namespaces: namespaces, _permissions: permissions }]);
    const path = new URL(accepted.location as string).pathname.replace('/passportsvc/api/v1', '');
    return eventually(async () => {
      const { body } = await owner.get(path);
      expect(body._status).toBe('COMPLETED');
      return body._response._body._list[0]._id as string;
    });
  };

  it('hide a workspace at once, remove what was granted in it, and end when every service is done', async () => {
    const [workspace, sibling] = [await make(acme.inApp, '/workspaces'), await make(acme.inApp, '/workspaces')];
    const [namespace, kept] = [namespaceOf(workspace), namespaceOf(sibling)];
    const guest = await newPerson(passport, 'Gus');
    const group = await make(acme.inApp, '/usergroups');
    for (const where of [namespace, kept]) {
      await grant(acme.inApp, { _type: 'user', _id: guest.id }, where, 'itemsvc:*:*', ['READ']);
      await grant(acme.inApp, { _type: 'usergroup', _id: group._id }, where, 'filesvc:*:*', ['READ']);
    }
    const gone = await addProfile(acme.inApp, 'gone', [namespace]);
    const shared = await addProfile(acme.inApp, 'shared', [namespace, kept]);
    const before = await rows('SELECT * FROM permission WHERE namespace = $1 ORDER BY id', kept);
    const later = { payload: { id: randomUUID(), recipient: guest.email, subject: 'Hello', body: 'later', html: false }, dueAt: new Date(Date.now() + 3_600_000) };
    await passport.app.get(TypeOrmUnitOfWork, { strict: false }).run((tx) =>
      passport.app.get(Jobs, { strict: false }).enqueueAll(tx, MAIL, [namespace, kept].map((where) => ({ ...later, namespace: where }))));

    expect((await acme.inApp.delete(`/workspaces/${workspace._id}?purge=true`)).status).toBe(204);
    expect((await acme.inApp.get(`/workspaces/${workspace._id}`)).status).toBe(404);
    expect((await guest.get(`/permissions?_namespace=${kept}`)).body._total).toBe(1);
    await eventually(async () => expect(await doneBy(namespace)).toEqual(['passportsvc']));
    expect(await grantsIn(namespace)).toBe(0);
    expect(await rows('SELECT namespace FROM job WHERE namespace = ANY($1)', [namespace, kept])).toEqual([{ namespace: kept }]);
    expect((await acme.inApp.get(`/permissionprofiles/${gone}`)).status).toBe(404);
    expect((await acme.inApp.get(`/permissionprofiles/${shared}`)).body._namespaces).toEqual([kept]);
    expect(await rows('SELECT * FROM permission WHERE namespace = $1 ORDER BY id', kept)).toEqual(before);

    await othersAreDone(namespace);
    await eventually(async () => expect((await tablesThatName(namespace)).filter((table) => !MEMORY.test(table))).toEqual([]));
    expect(await tellAgain(passport.database.url, namespace)).toBeGreaterThan(10);
    expect((await tablesThatName(namespace)).filter((table) => !MEMORY.test(table))).toEqual([]);
    expect(await rows('SELECT id FROM workspace WHERE id = $1', workspace._id)).toEqual([]);
    expect((await acme.inApp.get(`/workspaces/${sibling._id}`)).body).toMatchObject(sibling);
  });

  it('tell the owners of the application who asked, and what each service removed', async () => {
    const workspace = await make(acme.inApp, '/workspaces');
    await acme.inApp.delete(`/workspaces/${workspace._id}?purge=true`);
    await eventually(async () => expect(await doneBy(namespaceOf(workspace))).toEqual(['passportsvc']));
    await othersAreDone(namespaceOf(workspace));
    await eventually(async () => {
      const { body } = await acme.owner.get(`/audit?_namespace=${acme.app._namespaces[0]}&_irn=passportsvc:workspace:${workspace._id}&_pageSize=50`);
      const told = body._list.map(({ _action, _details }: { _action: string; _details: Record<string, unknown> }) => [_action, _details?.service ?? _details?._purge]);
      expect(told).toEqual(expect.arrayContaining([['DELETE', true], ...SERVICES.map((service) => ['PURGE', service]), ['PURGED', undefined]]));
      expect(body._list.every(({ _byId }: { _byId: string }) => _byId === acme.owner.id)).toBe(true);
    });
  });

  it('find a workspace that was hidden before, for those who could delete it from outside, and for nobody else', async () => {
    const creator = await newPerson(passport, 'Cora');
    await grant(acme.owner, { _type: 'user', _id: creator.id }, acme.app._namespaces[0] as string, 'passportsvc:workspace:*', ['CREATE']);
    const workspace = await make(await creator.in(acme.app._id), '/workspaces');
    const path = `/workspaces/${workspace._id}`;
    expect((await creator.delete(path)).status).toBe(204);
    expect(await grantsIn(namespaceOf(workspace))).toBe(1);
    for (const who of [creator, other.owner, await newPerson(passport, 'Stan')]) expect((await who.delete(`${path}?purge=true`)).status).toBe(404);
    expect((await acme.owner.delete(path)).status).toBe(404);
    expect((await acme.owner.delete(`${path}?purge=false`)).status).toBe(404);
    expect((await acme.owner.delete(`${path}?purge=true`)).status).toBe(204);
    await eventually(async () => expect(await grantsIn(namespaceOf(workspace))).toBe(0));
  });

  it('find the hidden workspace of an application that is gone, for the owners of its organization', async () => {
    const app = (await acme.owner.post('/apps', { _name: 'Short-lived', _orgId: acme.organization._id })).body as Owned;
    const workspace = await make(await acme.owner.in(app._id), '/workspaces');
    expect((await acme.owner.delete(`/workspaces/${workspace._id}`)).status).toBe(204);
    expect((await acme.owner.delete(`/apps/${app._id}`)).status).toBe(204);
    expect((await other.owner.delete(`/workspaces/${workspace._id}?purge=true`)).status).toBe(404);
    expect((await acme.owner.delete(`/workspaces/${workspace._id}?purge=true`)).status).toBe(204);
  });

  it('begin anew when they are asked for again, and take no answer to the first asking for one to the second', async () => {
    const workspace = await make(acme.inApp, '/workspaces');
    const namespace = namespaceOf(workspace);
    await acme.inApp.delete(`/workspaces/${workspace._id}?purge=true`);
    await eventually(async () => expect(await doneBy(namespace)).toEqual(['passportsvc']));
    await othersAreDone(namespace, ['itemsvc']);
    await eventually(async () => expect((await doneBy(namespace))?.slice().sort()).toEqual(['itemsvc', 'passportsvc']));
    await rows(`UPDATE purge SET request_id = 'another' WHERE namespace = $1`, namespace);
    expect((await acme.owner.delete(`/workspaces/${workspace._id}?purge=true`)).status).toBe(204);
    await eventually(async () => expect(await doneBy(namespace)).toEqual(['passportsvc']));
    await othersAreDone(namespace);
    await eventually(async () => expect(await doneBy(namespace)).toBeUndefined());
    expect((await acme.owner.delete(`/workspaces/${workspace._id}?purge=true`)).status).toBe(404);
  });

  it('need DELETE: who may only read it gets 403, and nothing changes', async () => {
    const workspace = await make(acme.inApp, '/workspaces');
    const reader = await newPerson(passport, 'Rita');
    await grant(acme.inApp, { _type: 'user', _id: reader.id }, namespaceOf(workspace), 'passportsvc:workspace:*', ['READ']);
    expect((await reader.delete(`/workspaces/${workspace._id}?purge=true`)).status).toBe(403);
    expect((await acme.inApp.get(`/workspaces/${workspace._id}`)).status).toBe(200);
    expect(await doneBy(namespaceOf(workspace))).toBeUndefined();
  });

  it('take secrets with the keys that they were sealed under, and seal one that others know for these', async () => {
    const [workspace, sibling] = [await make(acme.inApp, '/workspaces'), await make(acme.inApp, '/workspaces')];
    const [namespace, kept] = [namespaceOf(workspace), namespaceOf(sibling)];
    const add = async (name: string, namespaces: readonly string[]) => {
      const filter = namespaces.map((one) => `nsfilter=${one}`).join('&');
      const { status, body } = await acme.inApp.post(`/secrets?${filter}`, [{ _name: name, _value: `the value of ${name}`, _namespaces: namespaces }]);
      expect(status).toBe(201);
      return body._list[0] as { _id: string; _value: string };
    };
    const [gone, here, there] = [await add('gone', [namespace]), await add('here', [namespace, kept]), await add('there', [kept, namespace])];
    await acme.inApp.delete(`/workspaces/${workspace._id}?purge=true`);
    await eventually(async () => expect(await doneBy(namespace)).toEqual(['passportsvc']));
    expect(await rows('SELECT id FROM secret WHERE id = $1', gone._id)).toEqual([]);
    expect(await rows('SELECT id FROM data_key WHERE namespace = $1', namespace)).toEqual([]);
    expect(await rows('SELECT name FROM secret_name WHERE namespace = $1', namespace)).toEqual([]);
    const values = passport.app.get(SecretValues, { strict: false });
    for (const { _id, name } of [{ ...here, name: 'here' }, { ...there, name: 'there' }]) {
      const [secret] = await rows<{ id: string; namespaces: string[]; sealed: string }>('SELECT id, namespaces, sealed FROM secret WHERE id = $1', _id);
      expect(secret?.namespaces).toEqual([kept]);
      expect(await values.open(secret as NonNullable<typeof secret>)).toBe(`the value of ${name}`);
    }
  });

  it('take what a group owned, when they are asked for', async () => {
    const [group, plain] = [await make(acme.inApp, '/usergroups'), await make(acme.inApp, '/usergroups')];
    await addProfile(acme.inApp, 'of the group', [namespaceOf(group)]);
    await addProfile(acme.inApp, 'of the other', [namespaceOf(plain)]);
    expect((await acme.inApp.delete(`/usergroups/${group._id}?purge=true`)).status).toBe(204);
    expect((await acme.inApp.delete(`/usergroups/${plain._id}`)).status).toBe(204);
    await eventually(async () => expect(await doneBy(namespaceOf(group))).toEqual(['passportsvc']));
    await othersAreDone(namespaceOf(group));
    await eventually(async () => expect((await tablesThatName(namespaceOf(group))).filter((table) => !MEMORY.test(table))).toEqual([]));
    expect(await doneBy(namespaceOf(plain))).toBeUndefined();
    expect(await tablesThatName(namespaceOf(plain))).toContain('permission_profile');
  });
});
