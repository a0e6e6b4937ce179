import { ServiceError } from '@twinyard/conventions';
import { toOperationPath, toQuery } from './operation-paths';

const refusalOf = (path: unknown): string => {
  try {
    toOperationPath(path);
    return 'none';
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
};

describe('the path of an operation', () => {
  it.each([
    ['/itemsvc/api/v1/nameduseritems', 'itemsvc'],
    ['/itemsvc/api/v1/nameduseritems/rooms_a1%20b2/relateditems/bulk', 'itemsvc'],
    ['/metricsvc/api/v1/metrics/by-dimension;namespace=a;x=b', 'metricsvc'],
    ['/passportsvc/api/v1/users/me', 'passportsvc'],
    ['/passportsvc/api/v1/usergroups/oauthors', 'passportsvc'],
    ['/filesvc/api/v1/content/x/..plan%20(1).pdf', 'filesvc'],
    ['/notificationsvc/api/v1/events', 'notificationsvc'],
  ])('%s is of %s', (path, service) => {
    expect(toOperationPath(path)).toMatchObject({ service, path });
  });

  it('may bring its query along', () => {
    const { path, query } = toOperationPath('/filesvc/api/v1/files?_name=a%20b&_tags=x&_tags=y?z');
    expect([path, query.get('_name'), query.getAll('_tags')]).toEqual(['/filesvc/api/v1/files', 'a b', ['x', 'y?z']]);
  });

  it.each([
    '', '/', 'itemsvc/api/v1/x', '/itemsvc', '/itemsvc/health', '/itemsvc/apiary/v1', '/internal/v1/grants', '/passportsvc/internal/v1/run-tokens', '/nameduseritems/x/versions/y', '/health/ready',
    '//evil.example/itemsvc/api/v1/x', 'http://evil.example/itemsvc/api/v1/x', '/itemsvc/api/v1/../../internal', '/itemsvc/api/v1/./x', '/itemsvc/api/v1/%2e%2e/x', '/itemsvc/api/v1/.%2E/x',
    '/itemsvc/api/v1/x/..', '/itemsvc/api/v1/a%2Fb', '/itemsvc/api/v1/a%5cb', '/itemsvc/api/v1/a\\b', '/itemsvc/api/v1/a%00', '/itemsvc/api/v1/a%', '/itemsvc/api/v1/a%zz', '/itemsvc/api/v1/a#b',
    '/itemsvc/api/v1/a b', '/itemsvc/api/v1/ü', '/itemsvc/api/v1/\n', '/itemsvc/api/v1/%ff', '\t/itemsvc/api/v1/x', '/itemsvc/api/v1/x ', `/itemsvc/api/${'x'.repeat(5_000)}`, '/ITEMSVC/api/v1/x',
    '@evil.example/itemsvc/api/v1/x', undefined, null, 5, {},
  ])('%j is none', (path) => {
    expect(refusalOf(path)).toBe('invalid');
  });

  it.each([
    '/passportsvc/api/v1/oauth/token', '/passportsvc/api/v2/oauth/token', '/passportsvc/api/v1/oauth', '/passportsvc/api/v1/OAuth/token', '/passportsvc/api/v1/%6fauth/token', '/passportsvc/api/v1/oauth;a/token',
    '/passportsvc/api/v1/scim/Users', '/passportsvc/api/v1/scim', '/passportsvc/api/v1/%73cim/Users', '/passportsvc/api/.well-known/openid-configuration', '/itemsvc/api/v1/oauth/x', '/passportsvc/api/v1/oauth%20/token',
    '/passportsvc/api/v1/oauth?x=1',
  ])('%s is not for scripts', (path) => {
    expect(refusalOf(path)).toBe('forbidden');
  });
});

describe('the query of an operation', () => {
  const written = (given: object, inPath = '') => toQuery(new URLSearchParams(inPath), given as Record<string, unknown>, ['a_1', 'b_2']).toString();

  it('has arrays as repeated keys, objects as JSON, and nothing for what is not there', () => {
    expect(written({ a: ['x', 1, true], b: { c: [1] }, d: null, e: undefined, f: 0, g: false, nsfilter: 'n' })).toBe('a=x&a=1&a=true&b=%7B%22c%22%3A%5B1%5D%7D&f=0&g=false&nsfilter=n');
    expect(written({ a: [{ b: 1 }, [2], null], nsfilter: 'n' })).toBe('a=%7B%22b%22%3A1%7D&a=%5B2%5D&nsfilter=n');
  });

  it('is about the namespaces of the run, unless it names some itself', () => {
    expect(written({})).toBe('nsfilter=a_1&nsfilter=b_2');
    expect(written({ nsfilter: [] })).toBe('nsfilter=a_1&nsfilter=b_2');
    expect(written({ nsfilter: ['c_3'] })).toBe('nsfilter=c_3');
    expect(written({}, 'nsfilter=d_4&x=1')).toBe('nsfilter=d_4&x=1');
  });
});
