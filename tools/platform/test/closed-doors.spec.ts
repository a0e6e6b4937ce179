import { isRead, ONES_OWN, type Operation, operations, OWN_SESSION, PUBLIC, REFUSED_OTHERWISE } from './operations';
import { forgedFrom } from './forged-tokens';
import { requestFor } from './requests';
import { RunningPlatform } from './running-platform';
import { type Caller, makeNeighbour, makeTenant, type Tenant } from './tenants';

const AT_ONCE = 6;
const UNAUTHORIZED = 'Full authentication is required to access this resource';
/** A signed address is made anew at each call; `userinfo` needs a token with another scope. */
const NO_RECORD = /\/(previewurl|url|userinfo)$/;

interface Answer {
  readonly operation: Operation;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const guarded = operations.filter(({ needsToken }) => needsToken);
const walked = guarded.filter(({ key }) => !OWN_SESSION.has(key));
const told = ({ operation, status, text }: Answer) => `${operation.key} answered ${status} ${text.slice(0, 300)}`;

describe('every operation of the seven services', () => {
  let platform: RunningPlatform;
  let tenant: Tenant;
  let neighbour: Caller;
  let before: Map<string, string>;

  beforeAll(async () => {
    platform = await RunningPlatform.start();
    [tenant, neighbour] = await Promise.all([makeTenant(platform), makeNeighbour(platform)]);
    before = await recordsOf();
  }, 180_000);
  afterAll(() => platform?.remove(), 60_000);

  async function ask(operation: Operation, caller: Caller, authorization: string | undefined): Promise<Answer> {
    const { path, method, body } = requestFor(operation, tenant, caller);
    const response = await fetch(platform.baseUrl + path, {
      method, redirect: 'manual',
      headers: { ...(authorization !== undefined && { authorization }), ...(typeof body === 'string' && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    return { operation, status: response.status, text: await response.text(), headers: response.headers };
  }

  async function walk(some: readonly Operation[], caller: Caller, authorization: string | undefined = `Bearer ${caller.token}`): Promise<Answer[]> {
    const left = [...some];
    const answers: Answer[] = [];
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) answers.push(await ask(next, caller, authorization));
    }));
    return answers;
  }

  /** All that the tenant can read of its own, as it is written on the wire. */
  async function recordsOf(): Promise<Map<string, string>> {
    const reads = walked.filter((operation) => isRead(operation) && !NO_RECORD.test(operation.path));
    const answers = await walk(reads, tenant.owner);
    expect(answers.filter(({ status }) => status !== 200).map(told)).toEqual([]);
    return new Map(answers.map(({ operation, text }): [string, string] => [operation.key, text]).sort());
  }

  it('needs a token, but for those listed by name', () => {
    expect(operations.filter(({ needsToken }) => !needsToken).map(({ key }) => key).sort()).toEqual([...PUBLIC].sort());
    expect(guarded.length).toBeGreaterThan(150);
  });

  const isRefusal = ({ status, text, headers }: Answer) =>
    status === 401 && headers.get('www-authenticate') === 'Bearer' && (JSON.parse(text) as { message: string }).message === UNAUTHORIZED;

  it('answers 401 without a token', async () => {
    const answers = await walk(guarded, tenant.owner, '');
    expect(answers.filter((answer) => !isRefusal(answer)).map(told)).toEqual([]);
  }, 60_000);

  it.each(Object.keys(forgedFrom('e30.e30.')))('answers 401 to %s', async (forgery) => {
    const answers = await walk(guarded, tenant.owner, `Bearer ${forgedFrom(tenant.owner.token)[forgery] ?? ''}`);
    expect(answers.filter((answer) => !isRefusal(answer)).map(told)).toEqual([]);
  }, 60_000);

  /** None of the tenant's ids but that of its owner, who is the platform's manager and so the maker of the neighbour's organization too. */
  const holdsNothing = ({ operation, text }: Answer) => {
    if (isGrant(operation)) return (JSON.parse(text) as { _success: unknown[] })._success.length === 0;
    if (operation.path.includes('/metrics/')) return (JSON.parse(text) as { metrics: unknown[] }).metrics.length === 0;
    const { user: _user, ...ids } = tenant.ids;
    return [tenant.namespace, ...Object.values(ids)].every((id) => !text.includes(id));
  };
  const isGrant = ({ key }: Operation) => /^PUT .*\/permissions$/.test(key);
  const isList = (operation: Operation) => isRead(operation) && !/\{(?!metricName|byDimension)/.test(operation.path);

  function isShut(answer: Answer): boolean {
    const { operation, status } = answer;
    if (ONES_OWN.has(operation.key)) return status < 500 && holdsNothing(answer);
    if (REFUSED_OTHERWISE.has(operation.key)) return status === REFUSED_OTHERWISE.get(operation.key);
    if (status === 200) return (isList(operation) || isGrant(operation)) && holdsNothing(answer);
    return status === 404 || (status === 403 && !isRead(operation));
  }

  it("is shut to another tenant's manager: 404 by id, empty lists, 403 on create", async () => {
    const answers = await walk(walked, neighbour);
    expect(answers.filter((answer) => !isShut(answer)).map(told)).toEqual([]);
    expect(await recordsOf()).toEqual(before);
  }, 60_000);

  it('lets a viewer read and change nothing', async () => {
    const answers = await walk(walked, tenant.viewer);
    const isHarmless = (answer: Answer) => {
      if (isGrant(answer.operation)) return answer.status === 200 && holdsNothing(answer);
      return isRead(answer.operation) ? [200, 403, 404].includes(answer.status) : [403, 404].includes(answer.status);
    };
    expect(answers.filter((answer) => !isHarmless(answer)).map(told)).toEqual([]);
    expect(await recordsOf()).toEqual(before);
  }, 60_000);
});
