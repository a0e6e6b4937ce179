import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';
import { repositoryRoot } from '../../../checks/repository/repository';
import { createGateway } from '../gateway';
import { gatewaySettingsFor } from '../test-gateway';
import { GUIDES } from './guides';

const nowhere = Object.fromEntries(SERVICES.map((service) => [service, 'http://127.0.0.1:1'])) as Record<ServiceName, string>;
const PAGE = { accept: 'text/html,application/xhtml+xml' };

let gateway: FastifyInstance;
beforeAll(async () => {
  gateway = await createGateway(gatewaySettingsFor(nowhere, { DATA_DIR: '/srv/<twins>' }));
});
afterAll(() => gateway?.close());

const get = async (url: string, headers: Record<string, string> = PAGE, remoteAddress = '127.0.0.1') => gateway.inject({ url, headers, remoteAddress });
const targetsOf = (html: string) => [...html.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, target = '']) => target);

describe('the front of the platform', () => {
  it('is JSON for programs, and a page for those who ask for one', async () => {
    for (const accept of ['application/json', '*/*']) expect((await get('/', { accept })).json()).toMatchObject({ name: 'Twinyard', account: '/passportsvc/api/accounts', guides: expect.arrayContaining(['/guides/quickstart']) });
    const page = await get('/');
    expect([page.statusCode, page.headers['content-type'], page.headers['vary']]).toEqual([200, 'text/html; charset=utf-8', 'Accept']);
    for (const service of SERVICES) expect(targetsOf(page.body)).toEqual(expect.arrayContaining([`/${service}/api/docs`, `/${service}/api/v1/openapi.json`]));
    expect(targetsOf(page.body)).toContain('/passportsvc/api/accounts/sign-in');
  });

  it.each(['/', ...GUIDES.map(({ path }) => path)])('lets no script run at %s, and nothing in from elsewhere', async (path) => {
    const { headers, body } = await get(path);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'$/);
    expect(body).not.toMatch(/<script|<style| style=| on\w+=/);
  });

  it('tells where the data lies to callers of this machine alone', async () => {
    expect((await get('/')).body).toContain('<code>/srv/&lt;twins&gt;</code>');
    expect((await get('/', PAGE, '192.0.2.1')).body).not.toContain('/srv/');
    for (const proxied of [{ 'x-forwarded-for': '192.0.2.1' }, { forwarded: 'for=192.0.2.1' }]) expect((await get('/', { ...PAGE, ...proxied })).body).not.toContain('/srv/');
    const elsewhere = await createGateway(gatewaySettingsFor(nowhere));
    expect((await elsewhere.inject({ url: '/', headers: PAGE })).body).not.toContain('On this machine');
    await elsewhere.close();
  });

  it.each(['/', ...GUIDES.map(({ path }) => path)])('has no dead link at %s', async (path) => {
    const { body } = await get(path);
    const targets = targetsOf(body);
    expect(targets.length).toBeGreaterThan(3);
    for (const target of targets.filter((one) => !/^https?:|^\/\w+svc\//.test(one))) {
      const [there = '', anchor] = target.split('#');
      const answer = await get(there === '' ? path : there);
      expect([target, answer.statusCode]).toEqual([target, 200]);
      if (anchor !== undefined) expect(answer.body).toContain(` id="${anchor}"`);
    }
  });

  it('has a page to read and to try all operations, with scripts of its own alone', async () => {
    const { statusCode, headers, body } = await get('/reference');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; .*connect-src 'self'; /);
    expect(body).not.toMatch(/<script>|<style| on\w+=|(?:src|href)="https?:/);
    const [, script = ''] = /<script src="([^"]+)">/.exec(body) ?? [];
    const answers = await Promise.all(['gzip, br', 'br', 'gzip;q=0'].map((encoding) => get(script, { 'accept-encoding': encoding })));
    expect(answers.map((answer) => [answer.statusCode, answer.headers['content-encoding'], answer.headers['vary']])).toEqual([[200, 'gzip', 'Accept-Encoding'], [200, undefined, 'Accept-Encoding'], [200, undefined, 'Accept-Encoding']]);
    expect(gunzipSync(answers[0]?.rawPayload ?? '').equals(answers[1]?.rawPayload ?? Buffer.alloc(0))).toBe(true);
    const { dependencies } = JSON.parse(readFileSync(join(repositoryRoot(), 'package.json'), 'utf8')) as { readonly dependencies: Readonly<Record<string, string>> };
    expect(script).toBe(`/front/scalar-${String(dependencies['@scalar/fastify-api-reference'])}.js`);
    const titleAfter = async (parameters: string) => /<h1>(.*)<\/h1>/.exec((await get(`/console/callback?${parameters}`)).body)?.[1];
    expect((await get('/console/callback?error=x&error_description=<b>odd')).body).not.toContain('odd');
    expect([await titleAfter('code=1'), await titleAfter('error=access_denied&error_description=<b>')]).toEqual(['Signed in', 'Not signed in']);
  });

  it('has one reference of all services', async () => {
    const { headers, body } = await get('/api/openapi.json', { accept: '*/*' });
    const { paths, info } = JSON.parse(body) as { readonly paths: object; readonly info: { readonly title: string } };
    expect([headers['content-type'], info.title]).toEqual(['application/json; charset=utf-8', 'Twinyard']);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/filesvc/api/v1/files', '/passportsvc/api/v1/users/me']));
  });

  it('answers its paths to GET and HEAD alone', async () => {
    for (const url of ['/', '/favicon.ico', '/guides/quickstart']) {
      expect((await gateway.inject({ method: 'HEAD', url })).statusCode).toBe(200);
      expect((await gateway.inject({ method: 'POST', url })).statusCode).toBe(405);
    }
    expect((await get('/guides/other')).statusCode).toBe(404);
  });

  it('shows the guides with the address of this platform', async () => {
    const { body } = await get('/guides/quickstart');
    expect(body).toContain('<h1 id="quickstart">Quickstart</h1>');
    expect(body).toContain('https://twins.example/passportsvc/api/accounts');
    expect(body).not.toContain('localhost:8080');
  });
});
