import { z } from 'zod';
import type { ExpectedExchange } from './platform-contract';

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const FILES = '/filesvc/api/v1/files';
const RUNS = '/datasourcesvc/api/v1/orchrun';
const LISTED = ['query', 'sort', 'project', '_offset', '_pageSize'];
const VERSIONED = ['userItemVersionId'];

const at = (base: string, rest = '') => new RegExp(`^${base}${rest}$`);
const row = z.looseObject({});
const rows = z.array(row).min(1).max(1_000);
const named = z.looseObject({ _id: z.string() });
/** With what is needed to ask for the next one. */
const page = z.object({ _total: z.number(), _offset: z.number(), _pageSize: z.number(), _list: z.array(row) });

/** What `libraries.platform` expects of the services, beside `request`, which may ask for anything. */
export const EXPECTED_BY_SCRIPTS: readonly ExpectedExchange[] = [
  { name: 'list items', service: 'itemsvc', method: 'GET', path: at(ITEMS), parameters: [...LISTED, 'page'], status: 200, answer: page },
  { name: 'make items for a script', service: 'itemsvc', method: 'POST', path: at(ITEMS), parameters: [], body: rows, status: 201, answer: z.object({ _list: z.array(named) }) },
  // As docs/scripts.md tries them.
  { name: 'make a new version of a script', service: 'itemsvc', method: 'POST', path: at(ITEMS, '/[^/]+/versions'), parameters: [], body: z.strictObject({ _userData: z.string() }), status: 201, answer: named },
  { name: 'search', service: 'itemsvc', method: 'POST', path: at(ITEMS, '/search'), parameters: [], body: z.object({ query: z.object({ $findWithRelated: row }) }), status: 200, answer: z.object({ _list: z.array(row) }) },
  { name: 'read an item', service: 'itemsvc', method: 'GET', path: at(ITEMS, '/[^/]+'), parameters: [], status: 200, answer: named },
  { name: 'change an item', service: 'itemsvc', method: 'PUT', path: at(ITEMS, '/[^/]+'), parameters: [], body: row, status: 204 },
  { name: 'remove an item', service: 'itemsvc', method: 'DELETE', path: at(ITEMS, '/[^/]+'), parameters: [], status: 204 },
  { name: 'list rows', service: 'itemsvc', method: 'GET', path: at(ITEMS, '/[^/]+/relateditems'), parameters: [...LISTED, ...VERSIONED, 'page'], status: 200, answer: page },
  { name: 'make rows, all or none', service: 'itemsvc', method: 'POST', path: at(ITEMS, '/[^/]+/relateditems'), parameters: VERSIONED, body: rows, status: 201, answer: z.object({ _list: z.array(named) }) },
  // The same rows again count as made: their ids are the script's.
  { name: 'make rows in bulk', service: 'itemsvc', method: 'POST', path: at(ITEMS, '/[^/]+/relateditems/bulk'), parameters: VERSIONED, body: z.array(named).min(1).max(1_000), status: 201 },
  { name: 'change rows in bulk', service: 'itemsvc', method: 'PUT', path: at(ITEMS, '/[^/]+/relateditems/bulk'), parameters: VERSIONED, body: z.array(named).min(1).max(1_000), status: 200 },
  { name: 'remove rows by their ids', service: 'itemsvc', method: 'DELETE', path: at(ITEMS, '/[^/]+/relateditems'), parameters: VERSIONED, body: z.array(z.string()).min(1), status: 204 },
  { name: 'remove rows that match', service: 'itemsvc', method: 'DELETE', path: at(ITEMS, '/[^/]+/relateditems/bulk'), parameters: ['query', ...VERSIONED], status: 204 },
  { name: 'relate rows', service: 'itemsvc', method: 'PUT', path: at(ITEMS, '/[^/]+/relationships/bulk'), parameters: VERSIONED, body: rows, status: 204 },
  { name: 'list readings', service: 'itemsvc', method: 'GET', path: at(ITEMS, '/[^/]+/relateditems/readings'), parameters: [...LISTED, ...VERSIONED], status: 200, answer: page },
  {
    // The same readings again change nothing.
    name: 'write readings of a script', service: 'itemsvc', method: 'POST', path: at(ITEMS, '/[^/]+/relateditems/readings'), parameters: ['onConflict', ...VERSIONED], body: rows, status: 200,
    answer: z.object({ _new: z.number(), _replaced: z.number(), _merged: z.number(), _kept: z.number() }),
  },
  { name: 'aggregate readings', service: 'itemsvc', method: 'POST', path: at(ITEMS, '/[^/]+/relateditems/readings/aggregate'), parameters: VERSIONED, body: z.array(row), status: 200, answer: z.object({ _list: z.array(z.unknown()) }) },
  { name: 'list files', service: 'filesvc', method: 'GET', path: at(FILES), parameters: ['_name', '_type', '_tags', '_ids', '_status', '_offset', '_pageSize'], status: 200, answer: page },
  { name: 'list a folder', service: 'filesvc', method: 'GET', path: at(FILES, '/[^/]+/children'), parameters: ['_name', '_type', '_tags', '_ids', '_status', '_offset', '_pageSize'], status: 200, answer: page },
  { name: 'list versions of a file', service: 'filesvc', method: 'GET', path: at(FILES, '/[^/]+/versions'), parameters: ['_offset', '_pageSize'], status: 200, answer: page },
  { name: 'a signed address of the latest version', service: 'filesvc', method: 'GET', path: at(FILES, '/[^/]+/url'), parameters: [], status: 200, answer: z.object({ _url: z.url() }) },
  // With a token that it does not ask for; what is behind the version is nobody's.
  { name: 'the text at a signed address', service: 'filesvc', method: 'GET', path: at('/filesvc/api/v1/content', '/[^/]+/[^/]+'), parameters: ['*'], status: 200 },
  { name: 'upload a file', service: 'filesvc', method: 'POST', path: at(FILES), parameters: ['_name', '_namespaces', '_parents', '_tags'], body: z.string().regex(/^--twinyard-[\w-]+\r\ncontent-disposition: form-data; name="file"; filename="/i), status: 201, answer: z.array(named).length(1) },
  { name: 'start a run', service: 'datasourcesvc', method: 'POST', path: at(RUNS), parameters: [], body: z.looseObject({ orchestratorId: z.string() }), status: 200, answer: z.looseObject({ id: z.string() }) },
  { name: 'read a run', service: 'datasourcesvc', method: 'GET', path: at(RUNS, '/[^/]+'), parameters: [], status: 200, answer: z.array(z.looseObject({ id: z.string() })).length(1) },
  { name: 'tell something', service: 'notificationsvc', method: 'POST', path: at('/notificationsvc/api/v1/notification'), parameters: [], body: z.looseObject({ _name: z.string(), _namespaces: z.array(z.string()).length(1) }), status: 200, answer: z.looseObject({ _eventId: z.string() }) },
  { name: 'list workspaces', service: 'passportsvc', method: 'GET', path: at('/passportsvc/api/v1/workspaces'), parameters: ['_offset', '_pageSize'], status: 200, answer: page },
  { name: 'whose token it is', service: 'passportsvc', method: 'GET', path: at('/passportsvc/api/v1/principalinfo'), parameters: [], status: 200, answer: z.looseObject({ _type: z.string() }) },
];
