import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@twinyard/testing';
import { Api, type Fields, type Page } from '../../tour/api';
import { signIn } from '../../tour/sign-in';
import { makeDemoClient } from '../../tour/steps/demo-client';
import { makeProject } from '../../tour/steps/project';
import { TourLog } from '../../tour/tour-log';
import { demoClientFile } from '../demo-client';
import type { Right } from './rights';
import type { RunningPlatform } from './running-platform';
import type { Caller, Tenant } from './tenants';

const PASSPORT = '/passportsvc/api/v1';

interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

async function signUp(baseUrl: string, name: string): Promise<Person> {
  const [email, password] = [`${name}-${randomBytes(4).toString('hex')}@example.com`, randomBytes(12).toString('base64url')];
  const { _id } = await new Api(baseUrl, undefined).post(`${PASSPORT}/accounts`, { _email: email, _password: password, _firstname: name, _lastname: 'Door' });
  return { id: String(_id), email, password };
}

/** By the link of the mail that comes with an account: only a proven address is an owner's. */
async function confirm({ mailDir }: RunningPlatform, email: string): Promise<void> {
  const link = await eventually(() => {
    const mails = readdirSync(mailDir).map((file) => readFileSync(join(mailDir, file), 'utf8'));
    const text = mails.find((mail) => mail.includes(email) && mail.includes('/accounts/confirmations/'))?.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
    const found = /^https?:\S+$/m.exec(text ?? '')?.[0];
    if (found === undefined) throw new Error(`no mail to ${email} yet`);
    return found;
  });
  const { ok, status } = await fetch(link, { method: 'POST' });
  if (!ok) throw new Error(`the confirmation was answered ${status}`);
}

/** Somebody with an organization and an application of its own: a manager at home, nobody at the first tenant's. */
export async function makeNeighbour(running: RunningPlatform): Promise<Caller> {
  const { baseUrl, admin } = running;
  const { email, password } = await signUp(baseUrl, 'neighbour');
  await confirm(running, email);
  const redirectUri = `${baseUrl}/console/callback`;
  const platform = new Api(baseUrl, await signIn({ baseUrl, ...admin, clientId: 'console', redirectUri }));
  const organization = await platform.post(`${PASSPORT}/organizations`, { _name: email, _orgOwner: email });
  const neighbour = new Api(baseUrl, await signIn({ baseUrl, email, password, clientId: 'console', redirectUri }));
  await neighbour.post(`${PASSPORT}/apps`, { _name: email, _orgId: organization['_id'], _redirectUris: redirectUri });
  return { email, token: String(neighbour.token) };
}

/** A project with the client that the first start keeps, and an access key of its manager's (`<id>:<secret>`): what docs/quickstart.md begins with. */
export async function makeDemoAccess({ baseUrl, admin, dataDir }: RunningPlatform): Promise<string> {
  const log = new TourLog(() => undefined);
  const project = await makeProject({ baseUrl, ...admin, model: '', readings: '', print: () => undefined }, log);
  await makeDemoClient(project, { file: demoClientFile(dataDir), spaces: '' }, log);
  const { _id, _secret } = await project.manager.post<{ _id: string; _secret: string }>(`${PASSPORT}/users/me/accesskeys`, { _name: 'Quickstart' });
  return `${_id}:${_secret}`;
}

/** In a group of the tenant's application that nothing was granted to. */
export async function makeMember(platform: RunningPlatform, tenant: Tenant): Promise<Caller> {
  const { baseUrl } = platform;
  const { id, ...credentials } = await signUp(baseUrl, 'member');
  const owner = new Api(baseUrl, tenant.owner.token);
  const groups = await owner.post<Page<Fields>>(`${PASSPORT}/usergroups`, [{ _name: 'Bystanders', _shortName: 'bystanders' }]);
  await owner.post(`${PASSPORT}/usergroups/${String(groups._list[0]?.['_id'])}/users`, [id]);
  const token = await signIn({ baseUrl, ...credentials, clientId: tenant.ids['app'] ?? '', redirectUri: `${baseUrl}/tour/callback` });
  return { email: credentials.email, token };
}

/** Somebody who is given rights and loses them again, with a token of each kind. */
export class Grantee {
  private constructor(private readonly person: Person, private readonly tenant: Tenant, private readonly owner: Api, readonly reading: Caller, readonly writing: Caller) {}

  static async make({ baseUrl }: RunningPlatform, tenant: Tenant): Promise<Grantee> {
    const person = await signUp(baseUrl, 'grantee');
    const request = { baseUrl, email: person.email, password: person.password, clientId: tenant.ids['app'] ?? '', redirectUri: `${baseUrl}/tour/callback` };
    const [reading, writing] = await Promise.all(['read', 'read write'].map(async (scope) => ({ email: person.email, token: await signIn({ ...request, scope }) })));
    if (reading === undefined || writing === undefined) throw new Error('no tokens');
    return new Grantee(person, tenant, new Api(baseUrl, tenant.owner.token), reading, writing);
  }

  /** Does something while holding these rights and no others. */
  async holding<T>(rights: readonly Right[], work: () => Promise<T>): Promise<T> {
    const ids = rights.length === 0 ? [] : await this.grant(rights);
    try {
      return await work();
    } finally {
      for (const id of ids) await this.owner.statusOf('DELETE', `${PASSPORT}/permissions/${id}`);
    }
  }

  private async grant(rights: readonly Right[]): Promise<string[]> {
    const { _success, _failures } = await this.owner.put<{ _success: Fields[]; _failures: Fields[] }>(`${PASSPORT}/permissions`, rights.map(({ actions, irn, place }) => ({
      _namespace: this.tenant.namespaces[place], _actions: actions, _resourceDesc: { _irn: irn }, _user: { _type: 'user', _id: this.person.id },
    })));
    if (_failures.length > 0) throw new Error(`not granted: ${JSON.stringify(_failures)}`);
    return _success.map(({ _id }) => String(_id));
  }
}
