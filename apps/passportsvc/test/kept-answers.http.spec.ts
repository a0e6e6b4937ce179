import { randomUUID } from 'node:crypto';
import { AnswerStore } from '@twinyard/service-kit';
import { dyingBehind, eventually, expectReplay, freePort, type SentAnswer } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import { GrantFeed } from '../src/grant-feed/grant-feed.service';
import { type PassportApp, startPassport } from './passport-app';
import { organizationScim, USER } from './scim-client';
import { API, Caller, confirmAddress, manager, newPerson, newTenant, type Tenant } from './tenancy';

/** A write that is made ready, to be sent under a key. */
type Send = (headers: Readonly<Record<string, string>>) => Promise<SentAnswer>;

const WEB = 'https://viewer.example.com';
const LIMITS = { 'workspaces.limit': 50 };

describe('a write with an Idempotency-Key', () => {
  let passport: PassportApp;
  let house: Tenant;
  let admin: Caller;
  let guest: Caller;
  let scim: Caller;
  let ns: string;
  /** Nobody listens there. */
  let issuer: string;
  let unique = 0;

  beforeAll(async () => {
    passport = await startPassport({ UPSTREAM_ALLOW_PRIVATE: true });
    issuer = `http://127.0.0.1:${await freePort()}`;
    [house, admin, guest] = await Promise.all([newTenant(passport, 'House'), manager(passport), newPerson(passport, 'Guest')]);
    await confirmAddress(passport, guest.email);
    await house.owner.put(`/apps/${house.app._id}`, { _redirectUris: `${WEB}/callback` });
    ns = String(house.app._namespaces[0]);
    const { token } = await organizationScim(passport, house.organization._id);
    scim = new Caller('', '', passport, '', token);
  });
  afterAll(() => passport?.stop());

  const name = (word: string) => `${word} ${(unique += 1)}`;
  const by = (caller: Caller, method: string, path: string, body?: unknown): Send => (headers) => caller.wire(method, path, body, headers);
  const made = async (caller: Caller, path: string, body: unknown) => {
    const answer = await caller.post(path, body);
    if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as { readonly _id: string; readonly id: string; readonly client_id: string; readonly _list: readonly { readonly _id: string }[] };
  };
  const firstOf = async (caller: Caller, path: string, body: unknown) => (await made(caller, path, [body]))._list[0]?._id as string;

  const organization = async () => (await made(admin, '/organizations', { _name: name('Org'), _orgOwner: house.owner.email }))._id;
  const app = async () => (await made(house.owner, '/apps', { _name: name('App'), _orgId: house.organization._id }))._id;
  const workspace = () => firstOf(house.inApp, '/workspaces', { _name: name('Space') });
  const group = () => firstOf(house.inApp, '/usergroups', { _name: name('Group') });
  const invite = (of: string) => firstOf(house.inApp, `/usergroups/${of}/invites`, { _email: guest.email, _params: { base_url: WEB, invite_link: '/join' } });
  const configured = async (path: string) => {
    await house.owner.put(path, LIMITS);
    return path;
  };
  const secret = async () => `/secrets/${await firstOf(house.owner, `/secrets?nsfilter=${ns}`, { _name: name('secret'), _value: 'v', _namespaces: [ns] })}?nsfilter=${ns}`;
  const providers = () => `/organizations/${house.organization._id}/identityproviders`;
  const provider = () => ({ _name: name('Staff'), _issuer: issuer, _clientId: 'twinyard', _clientSecret: 'a secret of theirs' });
  const template = (_locale: string) => ({ _name: 'USER_GROUP_INVITE', _title: 'You are invited', _message: 'Come in: ${invite_link}', _locale, _format: 'text/plain' });
  const templates = () => `/notification_templates?_appId=${house.app._id}`;
  const permission = () => ({ _namespace: ns, _actions: ['READ'], _resourceDesc: { _irn: `filesvc:file:${(unique += 1)}` }, _user: { _type: 'user', _id: guest.id } });
  const granted = async () => ((await house.owner.put('/permissions', [permission()])).body as { readonly _success: readonly { readonly _id: string }[] })._success[0]?._id;
  const profile = () => ({ _name: name('Profile'), _userType: 'import', _namespaces: [ns], _permissions: [] });
  const profiles = (id = '') => `/permissionprofiles${id}?nsfilter=${ns}`;
  const madeProfile = async (): Promise<string> => {
    const { location } = await house.owner.full('POST', profiles(), [profile()]);
    return eventually(async () => {
      const { body } = await house.owner.get(String(location).split(API)[1] as string);
      return (body as { readonly _response: { readonly _body: { readonly _list: readonly { readonly _id: string }[] } } })._response._body._list[0]?._id as string;
    });
  };
  const client = async () => (await made(admin, '/clients', { _name: name('Client'), _scopes: ['read'] })).client_id;
  const accessKey = async () => (await made(house.owner, '/users/me/accesskeys', { _name: name('Key') }))._id;
  const person = () => ({ schemas: [USER], userName: `user.${(unique += 1)}@example.com` });
  const scimUser = async () => `/scim/Users/${(await made(scim, '/scim/Users', person())).id}`;

  const forms: Readonly<Record<string, () => Promise<Send> | Send>> = {
    'makes an organization': () => by(admin, 'POST', '/organizations', { _name: name('Org'), _orgOwner: house.owner.email }),
    'changes an organization': async () => by(house.owner, 'PUT', `/organizations/${await organization()}`, { _name: name('Org') }),
    'deletes an organization': async () => by(house.owner, 'DELETE', `/organizations/${await organization()}`),
    'replaces limits of an organization': async () => by(house.owner, 'PUT', `/organizations/${await organization()}/configs`, LIMITS),
    'changes limits of an organization': async () => by(house.owner, 'PATCH', `/organizations/${await organization()}/configs`, LIMITS),
    'clears limits of an organization': async () => by(house.owner, 'DELETE', await configured(`/organizations/${await organization()}/configs`)),
    'makes an application': () => by(house.owner, 'POST', '/apps', { _name: name('App'), _orgId: house.organization._id }),
    'changes an application': async () => by(house.owner, 'PUT', `/apps/${await app()}`, { _name: name('App') }),
    'deletes an application': async () => by(house.owner, 'DELETE', `/apps/${await app()}`),
    'gives an application a secret': async () => by(house.owner, 'POST', `/apps/${await app()}/secret`),
    'takes the secret of an application': async () => by(house.owner, 'DELETE', `/apps/${await app()}/secret`),
    'replaces limits of an application': async () => by(house.owner, 'PUT', `/apps/${await app()}/configs`, LIMITS),
    'changes limits of an application': async () => by(house.owner, 'PATCH', `/apps/${await app()}/configs`, LIMITS),
    'clears limits of an application': async () => by(house.owner, 'DELETE', await configured(`/apps/${await app()}/configs`)),
    'makes workspaces': () => by(house.inApp, 'POST', '/workspaces', [{ _name: name('Space') }, { _name: name('ü') }]),
    'changes a workspace': async () => by(house.inApp, 'PUT', `/workspaces/${await workspace()}`, { _description: 'changed' }),
    'hides a workspace': async () => by(house.inApp, 'DELETE', `/workspaces/${await workspace()}`),
    'purges a workspace': async () => by(house.inApp, 'DELETE', `/workspaces/${await workspace()}?purge=true`),
    'makes groups': () => by(house.inApp, 'POST', '/usergroups', [{ _name: name('Group') }]),
    'changes a group': async () => by(house.inApp, 'PUT', `/usergroups/${await group()}`, { _description: 'changed' }),
    'deletes a group': async () => by(house.inApp, 'DELETE', `/usergroups/${await group()}`),
    'adds members': async () => by(house.inApp, 'POST', `/usergroups/${await group()}/users`, [guest.id]),
    'removes members': async () => by(house.inApp, 'DELETE', `/usergroups/${await group()}/users`, [guest.id]),
    'invites': async () => by(house.inApp, 'POST', `/usergroups/${await group()}/invites`, [{ _email: guest.email, _params: { base_url: WEB, invite_link: '/join' } }]),
    'cancels an invite': async () => {
      const of = await group();
      return by(house.inApp, 'PUT', `/usergroups/${of}/invites/${await invite(of)}`, { _status: 'CANCELLED' });
    },
    'accepts an invite': async () => {
      const of = await group();
      return by(guest, 'POST', `/usergroups/${of}/users?inviteId=${await invite(of)}`, []);
    },
    'grants': () => by(house.owner, 'PUT', '/permissions', [permission(), { _namespace: ns }]),
    'takes a permission back': async () => by(house.owner, 'DELETE', `/permissions/${await granted()}`),
    'makes permission profiles': () => by(house.owner, 'POST', profiles(), [profile()]),
    'changes a permission profile': async () => by(house.owner, 'PUT', profiles(`/${await madeProfile()}`), { _name: name('Profile') }),
    'deletes a permission profile': async () => by(house.owner, 'DELETE', profiles(`/${await madeProfile()}`)),
    'makes a client': () => by(admin, 'POST', '/clients', { _name: name('Client'), _scopes: ['read'] }),
    'gives a client another secret': async () => by(admin, 'POST', `/clients/${await client()}/rotate`, {}),
    'deletes a client': async () => by(admin, 'DELETE', `/clients/${await client()}`),
    'keeps secrets': () => by(house.owner, 'POST', `/secrets?nsfilter=${ns}`, [{ _name: name('secret'), _value: 'v', _namespaces: [ns] }]),
    'changes a secret': async () => by(house.owner, 'PUT', await secret(), { _value: 'another' }),
    'deletes a secret': async () => by(house.owner, 'DELETE', await secret()),
    'connects an identity provider': () => by(house.owner, 'POST', providers(), provider()),
    'changes an identity provider': async () => by(house.owner, 'PUT', `${providers()}/${(await made(house.owner, providers(), provider()))._id}`, { _clientId: 'another' }),
    'removes an identity provider': async () => by(house.owner, 'DELETE', `${providers()}/${(await made(house.owner, providers(), provider()))._id}`),
    'adds templates': () => by(house.owner, 'POST', templates(), [template('fr')]),
    'changes a template': async () => by(house.owner, 'PUT', `/notification_templates/${await firstOf(house.owner, templates(), template('it'))}`, { ...template('it'), _title: 'changed' }),
    'deletes a template': async () => by(house.owner, 'DELETE', `/notification_templates/${await firstOf(house.owner, templates(), template('es'))}`),
    'makes an access key': () => by(house.owner, 'POST', '/users/me/accesskeys', { _name: name('Key') }),
    'deletes an access key': async () => by(house.owner, 'DELETE', `/users/me/accesskeys/${await accessKey()}`),
    'changes a user': () => by(house.owner, 'PUT', `/users/${house.owner.id}`, { _firstname: 'Ada' }),
    'makes a user by SCIM': () => by(scim, 'POST', '/scim/Users?attributes=userName', person()),
    'replaces a user by SCIM': async () => by(scim, 'PUT', await scimUser(), person()),
    'patches a user by SCIM': async () => by(scim, 'PATCH', await scimUser(), { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'replace', path: 'active', value: false }] }),
    'deletes a user by SCIM': async () => by(scim, 'DELETE', await scimUser()),
  };

  it.each(Object.keys(forms))('that %s is done once, though its process dies before it answers, and answered as it would have been', async (form) => {
    const send = await (forms[form] as () => Promise<Send> | Send)();
    const headers = { 'idempotency-key': form };
    const first = await dyingBehind(passport.app.get(AnswerStore, { strict: false }), () => send(headers));
    expectReplay(await send(headers), first);
  });

  it('is answered again only when what it changed is in force everywhere', async () => {
    const send = by(house.owner, 'PUT', '/permissions', [permission()]);
    const source = passport.app.get(DataSource, { strict: false });
    const answers: SentAnswer[] = [];
    const ask = () => send({ 'idempotency-key': 'in force' }).then((answer) => answers.push(answer));
    const [{ count: kept } = { count: '' }] = await source.query<{ count: string }[]>('SELECT count(*) FROM kept_answers WHERE sealed IS NOT NULL');
    const waits = jest.spyOn(passport.app.get(GrantFeed, { strict: false }), 'inForce');
    // Another service has a lease, and does not hear of the change.
    const slow = randomUUID();
    await source.query(`INSERT INTO grant_subscriber (instance, service, acked_seq, lease_until) VALUES ($1, 'itemsvc', 0, now() + interval '1 hour')`, [slow]);
    const both = [ask()];
    try {
      await eventually(async () => expect(await source.query('SELECT count(*) FROM kept_answers WHERE sealed IS NOT NULL')).toEqual([{ count: String(Number(kept) + 1) }]));
      both.push(ask());
      await eventually(() => expect(waits).toHaveBeenCalled());
      expect(answers).toEqual([]);
    } finally {
      await source.query('DELETE FROM grant_subscriber WHERE instance = $1', [slow]);
      waits.mockRestore();
    }
    await Promise.all(both);
    const [again, first] = answers.sort((one, other) => Number('idempotent-replayed' in other.headers) - Number('idempotent-replayed' in one.headers));
    expectReplay(again as SentAnswer, first as SentAnswer);
  });
});
