import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@twinyard/testing';
import { Api } from '../../tour/api';
import { signIn } from '../../tour/sign-in';
import { forgedFrom } from './forged-tokens';
import { inLanes, isRead, MEMBERS_SEE, NOT_BY_GRANT, ONES_OWN, type Operation, operations, OWN_SESSION, PUBLIC, REFUSED_OTHERWISE, UNSATISFIED } from './operations';
import { Grantee, makeMember, makeNeighbour } from './people';
import { areOfReading, rightsFor } from './rights';
import { RunningPlatform } from './running-platform';
import { makeSpares } from './spares';
import { type Caller, makeTenant, type Tenant } from './tenants';
import { type Answer, told, Walk } from './walk';

const UNAUTHORIZED = 'Full authentication is required to access this resource';
/** A signed address is made anew at each call; `userinfo` needs a token with another scope, a secret is told to clients, as are users by SCIM. */
const NO_RECORD = /\/(audit|previewurl|url|userinfo|secrets\/\{name\}\/download)$|\/scim\//;

/** Needs an upload that is under way: apps/filesvc/test/resumable.http.spec.ts sends its example. */
const OF_UPLOADS = /^PATCH .*\/files\//;

const NOBODYS_ID = '0'.repeat(24);

const guarded = operations.filter(({ needsToken }) => needsToken);
const walked = guarded.filter(({ key }) => !OWN_SESSION.has(key));
const reads = walked.filter((operation) => isRead(operation) && !NO_RECORD.test(operation.path));
/** Each record of the body is accepted or refused by itself. */
const isOfMany = ({ key }: Operation) => key === 'POST /itemsvc/api/v1/readings';
const isGrant = ({ key }: Operation) => /^PUT .*\/permissions$/.test(key);
const isList = (operation: Operation) => isRead(operation) && !/\{(?!metricName|byDimension)/.test(operation.path);

const tokenOf = async (baseUrl: string, { client_id, client_secret, scope }: Readonly<Record<'client_id' | 'client_secret' | 'scope', string>>): Promise<string> => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope });
  const { access_token } = (await (await fetch(`${baseUrl}/passportsvc/api/v2/oauth/token`, { method: 'POST', body })).json()) as { access_token: string };
  return access_token;
};

/** `name: folder 700` and so on for all below it; what goes away meanwhile is left out. */
function modesIn(root: string, name: string): string[] {
  const found = lstatSync(join(root, name), { throwIfNoEntry: false });
  if (found === undefined) return [];
  const line = `${name}: ${found.isDirectory() ? 'folder' : 'file'} ${(found.mode & 0o777).toString(8)}`;
  return found.isDirectory() ? [line, ...readdirSync(join(root, name)).flatMap((inner) => modesIn(root, join(name, inner)))] : [line];
}

describe('every operation of the seven services', () => {
  let platform: RunningPlatform;
  let tenant: Tenant;
  let neighbour: Caller;
  let member: Caller;
  let expired: string;
  let walk: Walk;
  let before: Map<string, string>;

  beforeAll(async () => {
    process.umask(0o022); // of most shells; the runner inherits it
    platform = await RunningPlatform.start();
    [tenant, neighbour] = await Promise.all([makeTenant(platform), makeNeighbour(platform)]);
    const owner = new Api(platform.baseUrl, tenant.owner.token);
    expired = (await owner.post<{ access_token: string }>(`/passportsvc/api/v1/auth/token?appId=${tenant.ids['app'] ?? ''}&expires_in=1`, undefined)).access_token;
    member = await makeMember(platform, tenant);
    walk = new Walk(platform.baseUrl, tenant);
    before = await recordsOf();
  });
  afterAll(() => platform?.remove());

  /** All that the tenant can read of its own, as it is written on the wire. */
  async function recordsOf(): Promise<Map<string, string>> {
    const answers = await walk.askAll(reads, { caller: tenant.owner });
    expect(answers.filter(({ status }) => status !== 200).map(told)).toEqual([]);
    return new Map(answers.map(({ operation, text }): [string, string] => [operation.key, text]).sort());
  }

  it('needs a token, but for those listed by name', () => {
    expect(operations.filter(({ needsToken }) => !needsToken).map(({ key }) => key).sort()).toEqual([...PUBLIC].sort());
    expect(guarded.length).toBeGreaterThan(150);
  });

  it('has an ETag where the references say so, and nowhere else', async () => {
    const isTagged = ({ parameters }: Operation) => parameters.some(({ name }) => name === 'If-None-Match');
    const ofAnybody = operations.filter(({ key }) => PUBLIC.includes(key) && /^GET .*\/(configs|passwordPolicies|jwks|\.well-known\/[\w-]+)$/.test(key));
    const answers = await walk.askAll([...ofAnybody, ...reads.filter(({ method }) => method === 'GET')], { caller: tenant.owner });
    expect(ofAnybody).toHaveLength(5);
    expect(answers.filter(({ operation, headers }) => headers.has('etag') !== isTagged(operation)).map(told)).toEqual([]);
    expect(reads.filter(isTagged).length).toBeGreaterThan(30);
  });

  it('is shut to other accounts of the machine: what is kept is its owner\'s alone', () => {
    // The database server may have an account of its own, and closes its folder itself.
    const kept = readdirSync(platform.dataDir).filter((name) => name !== 'postgres').flatMap((name) => modesIn(platform.dataDir, name));
    expect(kept.filter((line) => /^blobs\/objects\/.*: file/.test(line)).length).toBeGreaterThan(0);
    expect(kept.filter((line) => !/: (folder 700|file 600)$/.test(line))).toEqual([]);
  });

  /** SCIM's errors have another shape (RFC 7644 section 3.12). */
  const wordsOf = (text: string) => {
    const { message, detail } = JSON.parse(text) as { readonly message?: string; readonly detail?: string };
    return message ?? detail;
  };
  const saysSo = ({ operation, text }: Answer) => operation.method === 'HEAD' || wordsOf(text) === UNAUTHORIZED;
  const isRefusal = (answer: Answer) => answer.status === 401 && answer.headers.get('www-authenticate') === 'Bearer' && saysSo(answer);

  it('answers 401 without a token', async () => {
    const answers = await walk.askAll(guarded, { caller: tenant.owner, authorization: '' });
    expect(answers.filter((answer) => !isRefusal(answer)).map(told)).toEqual([]);
  });

  it.each(Object.keys(forgedFrom('e30.e30.')))('answers 401 to %s', async (forgery) => {
    const answers = await walk.askAll(guarded, { caller: tenant.owner, authorization: `Bearer ${forgedFrom(tenant.owner.token)[forgery] ?? ''}` });
    expect(answers.filter((answer) => !isRefusal(answer)).map(told)).toEqual([]);
  });

  it('answers 401 to a token of its own that has expired', async () => {
    const { exp } = JSON.parse(Buffer.from(expired.split('.')[1] ?? '', 'base64url').toString()) as { exp: number };
    await eventually(() => expect(Date.now()).toBeGreaterThan(exp * 1_000));
    const answers = await walk.askAll(guarded, { caller: tenant.owner, authorization: `Bearer ${expired}` });
    expect(answers.filter((answer) => !isRefusal(answer)).map(told)).toEqual([]);
  });

  /** None of the tenant's ids but that of its owner, who is the platform's manager and so the maker of the neighbour's organization too. */
  const holdsNothing = ({ operation, text }: Answer) => {
    if (isGrant(operation)) return (JSON.parse(text) as { _success: unknown[] })._success.length === 0;
    if (isOfMany(operation)) return (JSON.parse(text) as { _accepted: number })._accepted === 0;
    if (operation.path.endsWith('/permissions/check')) return (JSON.parse(text) as { _allowed: boolean; _because: unknown[] }[]).every(({ _allowed, _because }) => !_allowed && _because.length === 0);
    if (operation.path.includes('/metrics/')) return (JSON.parse(text) as { metrics: unknown[] }).metrics.length === 0;
    const { user: _user, ...ids } = tenant.ids;
    return [tenant.namespace, ...Object.values(ids)].every((id) => !text.includes(id));
  };

  /** A refusal may name what it was asked about, and nothing else of the tenant's. */
  const tellsNothingNew = ({ text, asked }: Answer) => [tenant.namespace, ...Object.values(tenant.ids)].every((id) => !text.includes(id) || asked.includes(id));

  const isShut = (answer: Answer) => isAnsweredAsShut(answer) && (answer.status < 400 || tellsNothingNew(answer));

  function isAnsweredAsShut(answer: Answer): boolean {
    const { operation, status } = answer;
    if (ONES_OWN.has(operation.key)) return status < 500 && holdsNothing(answer);
    if (REFUSED_OTHERWISE.has(operation.key)) return status === REFUSED_OTHERWISE.get(operation.key);
    if (status === 200) return (isList(operation) || isGrant(operation) || isOfMany(operation)) && holdsNothing(answer);
    return status === 404 || (status === 403 && !isRead(operation));
  }

  it("is shut to another tenant's manager: 404 by id, empty lists, 403 on create", async () => {
    const answers = await walk.askAll(walked, { caller: neighbour });
    expect(answers.filter((answer) => !isShut(answer)).map(told)).toEqual([]);
    expect(await recordsOf()).toEqual(before);
  });

  it('is shut to a member of the same organization whom nothing was granted to', async () => {
    const answers = await walk.askAll(walked, { caller: member });
    expect(answers.filter((answer) => !isShut(answer) && MEMBERS_SEE.get(answer.operation.key) !== answer.status).map(told)).toEqual([]);
    expect(await recordsOf()).toEqual(before);
  });

  it('lets a viewer read and change nothing', async () => {
    const answers = await walk.askAll(walked, { caller: tenant.viewer });
    const isHarmless = (answer: Answer) => {
      if (isGrant(answer.operation)) return answer.status === 200 && holdsNothing(answer);
      return isRead(answer.operation) ? [200, 403, 404].includes(answer.status) : [403, 404].includes(answer.status);
    };
    expect(answers.filter((answer) => !isHarmless(answer)).map(told)).toEqual([]);
    expect(await recordsOf()).toEqual(before);
  });

  it('takes the examples of the references also where no grant decides', async () => {
    /** Whether its rows are good is said when it has ended. */
    const importedBy = async (by: Walk, operation: Operation): Promise<Answer> => {
      const answer = await by.ask(operation, { caller: tenant.owner });
      const ended = await eventually(async () => {
        const request = await new Api(platform.baseUrl, tenant.owner.token).get(String(answer.headers.get('location')));
        expect(request).toMatchObject({ _status: 'COMPLETED' });
        return request;
      });
      expect([operation.body?.type, ended]).toEqual([operation.body?.type, expect.objectContaining({ _response: expect.objectContaining({ _body: expect.objectContaining({ _refused: [] }) }) })]);
      return answer;
    };
    const one = (key: string) => operations.find((operation) => operation.key === key) as Operation;
    const manager = { ...tenant.owner, token: await signIn({ baseUrl: platform.baseUrl, ...platform.admin, clientId: 'console', redirectUri: `${platform.baseUrl}/console/callback` }) };
    const owner = new Api(platform.baseUrl, manager.token);
    const program = await owner.post<{ client_id: string; client_secret: string }>('/passportsvc/api/v1/clients', { _name: 'Directory', _scopes: ['read', 'write', 'scim'] });
    const asProgram = { caller: { ...tenant.owner, email: 'new@example.com' }, authorization: '' };
    const own = walk.over({ client: program.client_id, clientSecret: program.client_secret });
    const issued = await own.ask(one('POST /passportsvc/api/v2/oauth/token'), asProgram);

    const answers = [issued];
    for (const operation of operations.filter(({ key, body }) => body !== undefined && PUBLIC.includes(key) && key !== issued.operation.key)) answers.push(await own.ask(operation, asProgram));
    for (const operation of operations.filter(({ key, body }) => body !== undefined && (NOT_BY_GRANT.has(key) || OWN_SESSION.has(key)) && !OF_UPLOADS.test(key) && !key.includes('/scim/'))) answers.push(await own.ask(operation, { caller: manager }));

    for (const operation of operations.filter(({ path, otherBodies }) => otherBodies.length > 0 && !path.includes('/scim/'))) {
      for (const body of [operation.body, ...operation.otherBodies].filter((one) => one !== undefined)) answers.push(await importedBy(own, { ...operation, body }));
    }
    const directory = await tokenOf(platform.baseUrl, { ...program, scope: 'scim' });
    const asDirectory = { caller: tenant.owner, authorization: `Bearer ${directory}` };
    const made = await own.ask(one('POST /passportsvc/api/v1/scim/Users'), asDirectory);
    const somebody = own.over({ user: (JSON.parse(made.text) as { id: string }).id });
    answers.push(made);
    for (const key of ['PUT {}/Users/{id}', 'PATCH {}/Users/{id}', 'POST {}/Users/.search', 'POST {}/.search']) answers.push(await somebody.ask(one(key.replace('{}', '/passportsvc/api/v1/scim')), asDirectory));
    expect(answers.filter(({ operation, status }) => !operation.successes.includes(status)).map(told)).toEqual([]);
    expect(answers.length).toBeGreaterThan(15);
  });

  it('answers 415 to a body of a kind that it does not take', async () => {
    const answers = await walk.askAll(operations.filter(({ body }) => body !== undefined), { caller: tenant.owner, body: 'x', type: 'text/x-nothing' });
    expect(answers.filter(({ status }) => status !== 415).map(({ operation, status }) => `${operation.key} ${status}`).sort()).toEqual([
      'POST /itemsvc/api/v1/nameduseritems/{id}/relateditems/import 202', // rows in the format that its query names, whatever their type
      'POST /itemsvc/api/v1/nameduseritems/{id}/relateditems/readings/import 202',
      'POST /passportsvc/api/v1/oauth/token 403', // as every refusal of a token
      'POST /passportsvc/api/v2/oauth/token 403',
    ]);
    expect(answers.length).toBeGreaterThan(80);
  });

  it('answers bodies that are none, for records that are none, with a fault of the caller\'s or nothing done', async () => {
    const nowhere = walk.over(Object.fromEntries(Object.keys(tenant.ids).map((name) => [name, NOBODYS_ID])));
    const writes = walked.filter((operation) => !isRead(operation));
    for (const body of ['[]', '{}', 'null', '"text"', '[null]', '[[]]']) {
      const answers = await nowhere.askAll(writes, { caller: tenant.owner, body });
      expect(answers.filter(({ status }) => status >= 500).map((answer) => `${body}: ${told(answer)}`)).toEqual([]);
    }
  }, 120_000);

  /** What one operation says to somebody with the right for it and nothing else; empty when that is as it should be. */
  async function faultsOf(operation: Operation, grantee: Grantee, spare: Tenant['ids']): Promise<string[]> {
    const there = walk.over(spare);
    const rights = ONES_OWN.has(operation.key) ? [] : rightsFor(operation, { ...tenant.ids, ...spare });
    return grantee.holding(rights, async () => {
      const faults: string[] = [];
      if (!isRead(operation)) {
        const refused = await there.ask(operation, { caller: grantee.reading });
        const isRefused = [403, 404].includes(refused.status) || (isGrant(operation) && holdsNothing(refused));
        if (!isRefused) faults.push(`with a token of reading, ${told(refused)}`);
      }
      const answer = await there.ask(operation, { caller: areOfReading(rights) && isRead(operation) ? grantee.reading : grantee.writing });
      const expected = UNSATISFIED.get(operation.key);
      if (!(expected === undefined ? operation.successes : [expected]).includes(answer.status)) faults.push(`with ${JSON.stringify(rights)}, ${told(answer)}`);
      return faults;
    });
  }

  /** Removes the tenant piece by piece, and so comes last. */
  it('is open to exactly the right grant, which a token of reading does not make a right to change', async () => {
    const { lanes, last } = inLanes(walked.filter(({ key }) => !NOT_BY_GRANT.has(key)));
    const spares = await makeSpares(platform, tenant, walked);
    const walkLane = async (lane: readonly Operation[]) => {
      const grantee = await Grantee.make(platform, tenant);
      const faults: string[] = [];
      for (const operation of lane) faults.push(...(await faultsOf(operation, grantee, spares.get(operation.key) ?? {})));
      return faults;
    };
    const faults = [...(await Promise.all(lanes.map(walkLane))).flat(), ...(await walkLane(last))];
    expect(faults).toEqual([]);
    expect([...UNSATISFIED.values()].filter((status) => status < 400 || [401, 403, 404].includes(status))).toEqual([]);
  }, 600_000);
});
