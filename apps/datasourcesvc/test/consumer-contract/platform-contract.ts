import type { ServiceName } from '@twinyard/conventions';
import { z } from 'zod';

/**
 * What runs expect of other services: each request that a component makes, and what it relies on in the answer. The specs'
 * stand-in takes no other request and gives no other answer; a provider can be held to the same shapes.
 */
export interface ExpectedExchange {
  readonly name: string;
  readonly service: ServiceName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Of the path, from the service's prefix on. */
  readonly path: RegExp;
  /** Parameters beside `nsfilter`, which every request but a signed one has. */
  readonly parameters: readonly string[];
  readonly body?: z.ZodType;
  /** 202 is followed too: `Location`, `Retry-After`, and `request` below. */
  readonly status: 200 | 201 | 204 | 206;
  readonly answer?: z.ZodType;
  /** Sent with an `Idempotency-Key`: the same again gets the first answer. */
  readonly hasKey?: true;
}

const objectId = z.string().regex(/^[0-9a-f]{24}$/);
const text = z.string().min(1);
const page = <T extends z.ZodType>(row: T) => z.object({ _total: z.number(), _list: z.array(row) });

const attributes = z.strictObject({ bimpk: z.strictObject({ fileId: text, fileVersionId: text }), import: z.strictObject({ runId: text, stepId: text, previousId: objectId.optional() }) });
const version = z.object({ _id: objectId, _version: z.number(), _userAttributes: z.record(z.string(), z.unknown()).optional(), _userData: z.unknown().optional() });
const item = z.object({ _id: objectId, _userItemId: text, _name: text, _tipId: objectId, _tipVersion: z.number(), _versions: z.array(version).length(1) });
const itemDraft = z.strictObject({
  _name: text, _shortName: text.max(22), _description: text, _namespaces: z.array(text).min(1), _userType: text,
  _itemClass: z.enum(['NamedCompositeItem', 'NamedUserCollection']), _version: z.strictObject({ _userAttributes: attributes }),
});
const relation = z.strictObject({
  _relatedFromId: objectId, _relatedToIds: z.array(objectId).min(1), _relatedUserItemId: text, _relatedUserItemVersionId: objectId,
});
const reading = z.looseObject({ _ts: z.iso.datetime(), _tsMetadata: z.strictObject({ _telItemId: objectId, _sourceId: text }) });

const fileVersion = z.object({ _id: text, _version: z.number(), _fileSize: z.number(), _sha256: z.string().regex(/^[0-9a-f]{64}$/), _contentEncoding: z.string().optional() });
const file = z.object({ _id: text, _name: text, _type: z.enum(['file', 'dir']), _namespaces: z.array(text), _parents: z.array(text), _userAttributes: z.record(z.string(), z.unknown()), _tipId: z.string().optional(), _tipVersion: z.number() });

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const FILES = '/filesvc/api/v1/files';
const below = (base: string, rest: string) => new RegExp(`^${base}${rest}$`);

export const EXPECTED: readonly ExpectedExchange[] = [
  {
    name: 'find an item by class, user type and a dotted path into its tip version, oldest first or as sorted', service: 'itemsvc', method: 'GET',
    path: below(ITEMS, ''), parameters: ['query', 'sort', 'page'], status: 200, answer: page(item),
  },
  {
    name: 'make one item with its first version', service: 'itemsvc', method: 'POST',
    path: below(ITEMS, ''), parameters: [], body: z.array(itemDraft).length(1), status: 201, answer: page(item),
  },
  {
    name: 'make a new tip version', service: 'itemsvc', method: 'POST',
    path: below(ITEMS, '/[^/]+/versions'), parameters: [], body: z.strictObject({ _userAttributes: attributes }), status: 201, answer: version,
  },
  { name: 'remove a version, so that the one before it is the tip', service: 'itemsvc', method: 'DELETE', path: below(ITEMS, '/[^/]+/versions/[^/]+'), parameters: [], status: 204 },
  { name: 'remove an item that is no collection', service: 'itemsvc', method: 'DELETE', path: below(ITEMS, '/[^/]+'), parameters: [], status: 204 },
  {
    // The same items again, also only some of them, count as made.
    name: 'make items of a version in bulk', service: 'itemsvc', method: 'POST',
    path: below(ITEMS, '/[^/]+/relateditems/bulk'), parameters: ['userItemVersionId'], body: z.array(z.looseObject({ _id: objectId })).min(1).max(1_000), status: 201,
  },
  {
    // The same again changes nothing.
    name: 'make and change items of a version by their source', service: 'itemsvc', method: 'PUT',
    path: below(ITEMS, '/[^/]+/relateditems/bulk'), parameters: ['userItemVersionId', 'by', 'onConflict'], hasKey: true,
    body: z.array(z.looseObject({ _sourceId: text, _id: z.undefined().optional() })).min(1).max(1_000), status: 200,
    answer: z.object({ _new: z.number(), _changed: z.number(), _unchanged: z.number(), _kept: z.number() }),
  },
  {
    // The same pair again makes no second record.
    name: 'relate items of a version in bulk', service: 'itemsvc', method: 'PUT',
    path: below(ITEMS, '/[^/]+/relationships/bulk'), parameters: ['userItemVersionId'], body: z.array(relation).min(1), status: 204,
  },
  {
    name: 'make collections members of a version of a composite, pinned to a version', service: 'itemsvc', method: 'POST',
    path: below(ITEMS, '/[^/]+/relatedcollections'), parameters: ['userItemVersionId'],
    body: z.array(z.strictObject({ _userItemId: text, _userItemVersionId: objectId })).min(1), status: 201,
  },
  {
    name: 'find a telemetry item by id or source', service: 'itemsvc', method: 'GET',
    path: below(ITEMS, '/[^/]+/relateditems'), parameters: ['query', 'page'], status: 200, answer: page(z.object({ _id: objectId, _sourceId: text })),
  },
  {
    // The same readings again change nothing.
    name: 'write readings', service: 'itemsvc', method: 'POST',
    path: below(ITEMS, '/[^/]+/relateditems/readings'), parameters: ['onConflict'], hasKey: true, body: z.array(reading).min(1).max(1_000), status: 200,
    answer: z.object({ _new: z.number(), _replaced: z.number(), _merged: z.number(), _kept: z.number() }),
  },
  {
    // CSV with dotted paths in its header, and cells as libs/csv writes them.
    name: 'items as a file', service: 'itemsvc', method: 'GET',
    path: below(ITEMS, '/[^/]+/relateditems/export'), parameters: ['format', 'userItemVersionId', 'query', 'sort', 'project'], status: 200,
  },
  {
    name: 'ask how a request fares that was answered with 202', service: 'itemsvc', method: 'GET',
    path: /^\/itemsvc\/api\/v1\/requests\/[^/]+$/, parameters: [], status: 200,
    answer: z.object({ _status: z.enum(['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED']), _response: z.object({ _status: z.number(), _body: z.unknown() }).optional() }),
  },
  {
    name: 'a file', service: 'filesvc', method: 'GET',
    path: below(FILES, '/[^/]+'), parameters: [], status: 200, answer: file,
  },
  {
    name: 'the files of a name in a folder', service: 'filesvc', method: 'GET',
    path: below(FILES, ''), parameters: ['_parents', '_name', '_type'], status: 200, answer: z.object({ _list: z.array(file) }),
  },
  {
    name: 'a version of a file', service: 'filesvc', method: 'GET',
    path: below(FILES, '/[^/]+/versions/[^/]+'), parameters: [], status: 200, answer: fileVersion,
  },
  {
    name: 'the versions of a file, newest first', service: 'filesvc', method: 'GET',
    path: below(FILES, '/[^/]+/versions'), parameters: [], status: 200,
    answer: z.object({ _list: z.array(fileVersion) }),
  },
  {
    // A multipart message of one part, in chunks. A file of that name gets a new version.
    name: 'upload a file', service: 'filesvc', method: 'POST',
    path: below(FILES, ''), parameters: ['_name', '_parents', '_namespaces', '_tags', '_userAttributes'], status: 201, answer: z.array(file).length(1),
  },
  {
    name: 'a signed address of a version', service: 'filesvc', method: 'GET',
    path: below(FILES, '/[^/]+/versions/[^/]+/url'), parameters: [], status: 200, answer: z.object({ _url: z.url() }),
  },
  {
    // Without a token; the path and query of `_url` on filesvc's own address.
    name: 'the bytes at a signed address', service: 'filesvc', method: 'GET',
    path: /^\/filesvc\/api\/v1\/content\//, parameters: ['*'], status: 200,
  },
  {
    // `Range: bytes=<from>-`, where a line broke; 200 with all of them where there are no ranges.
    name: 'the rest of the bytes at a signed address', service: 'filesvc', method: 'GET',
    path: /^\/filesvc\/api\/v1\/content\//, parameters: ['*'], status: 206,
  },
  {
    // The same id again tells nobody twice.
    name: 'tell something', service: 'notificationsvc', method: 'POST', path: /^\/notificationsvc\/api\/v1\/notification$/, parameters: [],
    body: z.strictObject({ _name: text.max(200), _message: z.string().max(10_000).optional(), _data: z.record(z.string(), z.unknown()).optional(), _namespaces: z.array(text).length(1), _eventId: z.uuid() }),
    status: 200,
  },
];
