import type { OpenAPIObject } from '@nestjs/swagger';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { type Documents, staleDocuments } from './committed-files';
import { describeServices } from './describe-services';
import { coverage, documentedCodes, readSpecifiedOperations, wrongCodes } from './specified-operations';

/** The one path that answers without its service's prefix too (contract 2.1). */
const WITHOUT_PREFIX = /^\/nameduseritems\/\{id\}\/versions\/\{versionId\}$/;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly responses: Record<string, { description: string; content?: Record<string, { readonly schema?: { readonly $ref?: string } }>; headers?: Record<string, unknown> }>;
}

/** `[]`: for anybody. */
const isGuarded = ({ security = [] }: Operation) => security.length > 0;

/** In all paths of these documents. */
const operationsIn = (all: Iterable<{ readonly paths: object }>) =>
  [...all].flatMap(({ paths }) => Object.values(paths).flatMap((item: object) => Object.values(item) as Operation[]));

/** In a reader's order. */
const HEADINGS: Readonly<Record<ServiceName, readonly string[]>> = {
  passportsvc: [
    'oauth', 'accounts', 'users', 'access keys', 'sessions', 'organizations', 'applications', 'workspaces', 'user groups', 'invites', 'permission profiles', 'clients', 'secrets',
    'configurations', 'identity providers', 'SCIM', 'notification templates', 'audit', 'information', 'requests', 'permissions',
  ],
  itemsvc: [
    'named items', 'related items', 'relationships', 'search', 'telemetry', 'import and export', 'item versions', 'composites', 'schema definitions', 'indexes', 'update logs', 'requests', 'permissions',
  ],
  filesvc: ['files', 'file versions', 'content', 'permissions'],
  datasourcesvc: ['orchestrators', 'runs', 'schedules', 'components', 'permissions'],
  aisvc: ['teams', 'permissions'],
  metricsvc: ['metrics', 'permissions'],
  notificationsvc: ['triggers', 'groups', 'devices', 'subscriptions', 'senders', 'templates', 'notifications', 'permissions'],
};

interface PlacedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

const placedOperations = (): PlacedOperation[] =>
  [...documents.values()].flatMap(({ paths }) => Object.entries(paths).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as Operation }))));

/** In which media type, and by which name. */
function errorAt(path: string): readonly [type: string, schema: string] {
  if (/^\/passportsvc\/api\/v\d\/scim\//.test(path)) return ['application/scim+json', 'ScimErrorDto'];
  return ['application/json', /^\/passportsvc\/api\/v\d\/oauth\/(?!userinfo)/.test(path) ? 'OAuthErrorDto' : 'ErrorDto'];
}

const isWrite = ({ method }: PlacedOperation) => !['get', 'head', 'options'].includes(method);
const takes = ({ parameters = [] }: Operation, header: string) => parameters.some(({ name }) => name === header);

function refusalsOf(placed: PlacedOperation): string[] {
  const { path, operation } = placed;
  return [
    '429', '503',
    ...(isGuarded(operation) ? ['401', '403'] : []),
    ...(path.includes('{') ? ['404'] : []),
    ...(operation.requestBody ? ['400', '413', '415'] : []),
    ...(takes(operation, 'Idempotency-Key') ? ['409', '422'] : []),
    ...(isWrite(placed) ? ['507'] : []),
    ...(takes(operation, 'If-Match') ? ['412'] : []),
  ];
}

interface PlacedProperty {
  readonly place: string;
  readonly description: string;
}

/** Values, in which a member called `properties` is no word of JSON Schema. */
const VALUES: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const', 'enum']);

/** Of every schema: in components, bodies, answers and parameters, also inside of another one. */
function propertiesIn(node: unknown, place = ''): PlacedProperty[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties = {}, ...others } = node as { readonly properties?: Readonly<Record<string, { readonly description?: string }>> };
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [{ place: `${place}.${name}`, description: property.description ?? '' }, ...propertiesIn(property, `${place}.${name}`)]),
    ...Object.entries(others).flatMap(([word, value]) => (VALUES.has(word) ? [] : propertiesIn(value, `${place}/${word}`))),
  ];
}

let documents: Documents;

beforeAll(async () => {
  documents = await describeServices();
});

describe('the committed OpenAPI documents', () => {
  it('say what the services are (else: npm run openapi)', () => {
    expect(staleDocuments(documents)).toEqual([]);
  });

  it.each(SERVICES)('%s has operations, all of them under its own prefix', (service) => {
    const paths = Object.keys(documents.get(service)?.paths ?? {});
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !path.startsWith(`/${service}/`) && !WITHOUT_PREFIX.test(path))).toEqual([]);
  });

  it('say what the body of every refusal is: in our shape, in that of RFC 6749 or in that of RFC 7644', () => {
    // The answer to a HEAD has none.
    const silent = placedOperations().filter(({ method }) => method !== 'head').flatMap(({ path, operation: { operationId, responses } }) => {
      const [type, schema] = errorAt(path);
      return Object.entries(responses).filter(([code, { content }]) => Number(code) >= 400 && content?.[type]?.schema?.$ref !== `#/components/schemas/${schema}`).map(([code]) => `${operationId} ${code}`);
    });
    expect(silent).toEqual([]);
  });

  it('say where a 202 leads', () => {
    expect(placedOperations().filter(({ operation: { responses } }) => responses['202'] && responses['202'].headers?.['Location'] === undefined).map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it('say of every operation which refusals may come', () => {
    const missing = placedOperations().flatMap((placed) => refusalsOf(placed).filter((code) => placed.operation.responses[code] === undefined).map((code) => `${placed.operation.operationId} ${code}`));
    expect(missing.sort()).toEqual([
      'getFileUploadCapabilities 404', // the same for every file, also for none
      'introspectToken 507', // keeps nothing
      'issueToken 413', 'issueToken 415', 'issueTokenByFirstVersion 413', 'issueTokenByFirstVersion 415', // such a form is refused as a token is: 403
      'resumeAuthorization 404', // 400: there is no sign-in to go on with
    ]);
  });

  it('take an Idempotency-Key on each write of a caller, and If-Match where a record has an ETag at the same path', () => {
    const written = placedOperations().filter((placed) => isWrite(placed) && isGuarded(placed.operation));
    expect(written.filter(({ operation }) => !takes(operation, 'Idempotency-Key')).map(({ operation }) => operation.operationId)).toEqual([]);
    // That these are the records with an ETag is held to the answers themselves by tools/platform/test/closed-doors.spec.ts.
    const paths = new Set(placedOperations().filter(({ method, operation: { responses } }) => method === 'get' && responses['304'] !== undefined).map(({ path }) => path));
    const conditional = written.filter(({ method, path }) => method !== 'post' && paths.has(path));
    expect(conditional.filter(({ operation }) => !takes(operation, 'If-Match')).map(({ operation }) => operation.operationId)).toEqual([]);
    expect(conditional.length).toBeGreaterThan(50);
  });

  it('describe every answer, and the shape of its body', () => {
    const all = placedOperations().flatMap(({ method, operation: { operationId, responses } }) => Object.entries(responses).map(([code, answer]) => ({ name: `${operationId} ${code}`, method, code, ...answer })));
    expect(all.filter(({ description }) => description === '').map(({ name }) => name)).toEqual([]);
    const silent = all.filter(({ method, code, content }) => ['200', '201', '206'].includes(code) && !['head', 'options'].includes(method) && content === undefined).map(({ name }) => name);
    expect(silent.sort()).toEqual([
      'downloadFileContent 200', 'downloadFileContent 206', 'downloadPreview 206', // bytes of any kind
    ]);
  });

  it('name every way to sign in that an operation takes', () => {
    for (const [service, { components, paths }] of documents) {
      const known = Object.keys(components?.securitySchemes ?? {});
      for (const { operationId, security } of operationsIn([{ paths }]).filter(isGuarded)) {
        const schemes = security?.flatMap((scheme) => Object.keys(scheme)) ?? [];
        expect([service, operationId, schemes.filter((scheme) => !known.includes(scheme)), schemes.includes('oauth2')]).toEqual([service, operationId, [], true]);
      }
    }
  });

  it('say of every scope what it opens, and ask for no other; who may ask for which is held to the discovery document by oauth-clients.http.spec.ts', () => {
    const asked = [...documents].flatMap(([service, { components, paths }]) => {
      const { flows } = components?.securitySchemes?.['oauth2'] as unknown as { readonly flows: Readonly<Record<string, { readonly scopes: Readonly<Record<string, string>> }>> };
      const told = Object.assign({}, ...Object.values(flows).map(({ scopes }) => scopes)) as Readonly<Record<string, string>>;
      expect([service, Object.values(told).filter((words) => words === '')]).toEqual([service, []]);
      const scopes = operationsIn([{ paths }]).flatMap(({ security = [] }) => security.flatMap((scheme) => scheme['oauth2'] ?? []));
      expect([service, scopes.filter((scope) => told[scope] === undefined)]).toEqual([service, []]);
      return scopes;
    });
    expect([...new Set(asked)].sort()).toEqual(['download-secrets', 'openid', 'read', 'scim', 'write']);
  });

  it('show a body that a client could send wherever one may be sent: openapi/examples.ts of the service', () => {
    const silent = operationsIn(documents.values()).flatMap(({ operationId, requestBody }) =>
      Object.entries(requestBody?.content ?? {}).filter(([, { example }]) => example === undefined).map(([type]) => `${operationId} ${type}`));
    expect(silent).toEqual([]);
  });

  it.each(SERVICES)('%s has its operations under headings that are told of, in the order in which somebody learns of them', (service) => {
    const { tags = [], ...document } = documents.get(service) as OpenAPIObject;
    const used = new Set(operationsIn([document]).flatMap((operation) => operation.tags));
    expect(tags.map(({ name }) => name)).toEqual(HEADINGS[service]);
    expect([[...used].sort(), tags.filter(({ description = '' }) => description === '')]).toEqual([[...HEADINGS[service]].sort(), []]);
  });

  it('say what every parameter is', () => {
    expect(operationsIn(documents.values()).flatMap(({ operationId, parameters = [] }) => parameters.filter(({ description = '' }) => description === '').map(({ name }) => `${operationId} ${name}`))).toEqual([]);
  });

  it('say what every property is, wherever it stands, and know no type that OpenAPI 3.1 does not', () => {
    for (const [service, document] of documents) {
      const silent = propertiesIn(document).filter(({ description }) => description === '').map(({ place }) => place);
      expect([service, document.openapi, silent, JSON.stringify(document).includes('"nullable"')]).toEqual([service, '3.1.0', [], false]);
    }
  });

  it('speak to users, who know neither specification nor contract', () => {
    const found = [...documents].flatMap(([service, document]) => [...JSON.stringify(document).matchAll(/.{40}(?:the specification|contract \d|the contract).{20}/gi)].map(([words]) => `${service}: ${words}`));
    expect(found).toEqual([]);
  });

  it('name every operation as a function would be, once in all services', () => {
    const ids = operationsIn(documents.values()).map(({ operationId }) => operationId);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z0-9]*)*$/.test(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});

describe('the comparison with the specification', () => {
  const paths = { '/aisvc/api/v1/teams/{teamId}': { get: { responses: { 200: { description: '' }, 404: { description: '' } } } } };
  const only = new Map([['aisvc', { openapi: '3.0.0', info: { title: '', version: '1' }, paths }]]) as Documents;
  const row = { service: 'aisvc', method: 'GET', path: '/aisvc/api/v1/teams/{id}' };

  it('takes another name of a parameter for the same path', () => {
    expect(documentedCodes(only, { ...row, success: ['200'] })).toEqual(['200']);
  });

  it('reports another code, and is silent about an operation that does not stand', () => {
    expect(wrongCodes(only, [{ ...row, success: ['201', '202'] }])).toEqual(['GET /aisvc/api/v1/teams/{id}: 200, specified 201 or 202']);
    expect(wrongCodes(only, [{ ...row, method: 'PUT', success: ['200'] }])).toEqual([]);
  });

  it('does not count an operation that can only refuse', () => {
    const refusing = new Map([['aisvc', { openapi: '3.0.0', info: { title: '', version: '1' }, paths: { [row.path]: { get: { responses: { 404: { description: '' } } } } } }]]) as Documents;
    expect(documentedCodes(refusing, { ...row, success: ['200'] })).toBeUndefined();
  });

  it('takes whatever lies where the specification should', () => {
    expect(readSpecifiedOperations(__dirname)).toBeUndefined();
    expect(readSpecifiedOperations(`${__filename}.csv`)).toBeUndefined();
    const rows = readSpecifiedOperations(__filename) ?? [];
    expect(rows.length).toBeGreaterThan(50);
    expect(coverage(only, rows).every(({ of }) => of === 0)).toBe(true);
    expect(wrongCodes(only, rows)).toEqual([]);
  });

  it('counts what stands', () => {
    const counts = coverage(only, [{ ...row, success: ['200'] }, { ...row, method: 'PUT', success: ['200'] }]);
    expect(counts.find(({ service }) => service === 'aisvc')).toEqual({ service: 'aisvc', held: 1, of: 2 });
  });
});
