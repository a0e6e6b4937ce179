import { randomBytes } from 'node:crypto';
import { Api, type Fields, type Page } from '../api';
import { signIn } from '../sign-in';
import type { TourLog } from '../tour-log';
import type { TourOptions } from '../tour-options';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly api: Api;
}

export interface Project {
  /** Of the platform. */
  readonly manager: Api;
  readonly owner: Api;
  readonly viewer: Person;
  readonly outsider: Person;
  readonly namespace: string;
  readonly applicationNamespace: string;
  readonly viewersGroupId: string;
}

const PASSPORT = '/passportsvc/api/v1';

/** Signs in, makes an organization, an application, a project workspace and its Viewers, and two more people. */
export async function makeProject(options: TourOptions, log: TourLog): Promise<Project> {
  const suffix = randomBytes(3).toString('hex');
  const { baseUrl, email, password } = options;
  const redirectUri = `${baseUrl}/tour/callback`;
  const consoleToken = await log.step('Sign in to the console (PKCE)', () => signIn({ baseUrl, email, password, clientId: 'console', redirectUri: `${baseUrl}/console/callback` }), () => email);
  const platform = new Api(baseUrl, consoleToken);
  const organization = await log.step('Create an organization', () => platform.post(`${PASSPORT}/organizations`, { _name: `Tour ${suffix}`, _orgOwner: email }), ({ _name }) => String(_name));
  const app = await log.step('Create an application', () => platform.post(`${PASSPORT}/apps`, { _name: `Tour ${suffix}`, _orgId: organization['_id'], _redirectUris: redirectUri, _authorizedOrigins: baseUrl }), ({ _id }) => String(_id));
  const appId = String(app['_id']);
  const { access_token } = await log.step("Get the application's token", () => platform.post<{ access_token: string }>(`${PASSPORT}/auth/token?appId=${appId}`, undefined), () => 'for the same user');
  const owner = new Api(baseUrl, access_token);
  const workspace = await log.step('Create a project workspace', () => owner.post<Page<Fields>>(`${PASSPORT}/workspaces`, [{ _name: 'Tour project', _shortName: 'tour', _description: 'Made by the tour', _userType: 'project_workspace' }]), ({ _list }) => `namespace ${namespaceOf(_list[0])}`);
  const namespace = namespaceOf(workspace._list[0]);
  const people = await log.step('Two more people sign up and sign in', () => signUpTwo({ baseUrl, suffix, appId, redirectUri }), ([viewer, outsider]) => `${viewer.email}, ${outsider.email}`);
  const group = await log.step('Create the group Viewers and grant it READ', () => makeViewers(owner, namespace, people[0].id), () => 'READ on *:*:*');
  return {
    manager: platform, owner: owner.inProject(namespace), viewer: at(people[0], namespace), outsider: at(people[1], namespace), namespace,
    applicationNamespace: namespaceOf(app), viewersGroupId: String(group['_id']),
  };
}

const namespaceOf = (record: Fields | undefined) => String((record?.['_namespaces'] as string[] | undefined)?.[0]);
const at = (person: Person, namespace: string): Person => ({ ...person, api: person.api.inProject(namespace) });

interface Newcomers {
  readonly baseUrl: string;
  readonly suffix: string;
  readonly appId: string;
  readonly redirectUri: string;
}

function signUpTwo(newcomers: Newcomers): Promise<[Person, Person]> {
  return Promise.all([signUp(newcomers, 'viewer'), signUp(newcomers, 'outsider')]);
}

async function signUp({ baseUrl, suffix, appId, redirectUri }: Newcomers, name: string): Promise<Person> {
  const email = `${name}-${suffix}@example.com`;
  const password = randomBytes(12).toString('base64url');
  const user = await new Api(baseUrl, undefined).post(`${PASSPORT}/accounts`, { _email: email, _password: password, _firstname: name, _lastname: 'Tour' });
  const token = await signIn({ baseUrl, email, password, clientId: appId, redirectUri });
  return { id: String(user['_id']), email, password, api: new Api(baseUrl, token) };
}

async function makeViewers(owner: Api, namespace: string, viewerId: string): Promise<Fields> {
  const page = await owner.post<Page<Fields>>(`${PASSPORT}/usergroups`, [{ _name: 'Viewers', _shortName: 'viewers', _description: 'May read the project' }]);
  const group = page._list[0] as Fields;
  await owner.post(`${PASSPORT}/usergroups/${String(group['_id'])}/users`, [viewerId]);
  await grant(owner, { _namespace: namespace, _actions: ['READ'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'usergroup', _id: group['_id'] } });
  return group;
}

export async function grant(owner: Api, permission: Fields): Promise<void> {
  const { _failures } = await owner.put<{ _failures: Fields[] }>(`${PASSPORT}/permissions`, [permission]);
  if (_failures.length > 0) throw new Error(`not granted: ${JSON.stringify(_failures)}`);
}
