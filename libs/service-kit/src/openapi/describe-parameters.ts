import type { OpenAPIObject } from '@nestjs/swagger';
import { jsonText } from './json-schema';
import { operationsOf } from './operations';

const PAGE_WORDS = { _offset: 'How many entries to pass over', _pageSize: 'How many entries to answer at most; 0 asks for `_total` alone' };

/** Of parameters that mean the same wherever they are, unless a route says more. */
const BY_NAME: Readonly<Record<string, string>> = {
  id: '`_id` of the record',
  versionId: '`_id` of the version',
  previewId: '`_id` of the picture',
  relatedItemId: '`_id` of the related item',
  relationId: '`_id` of the relation',
  parent_id: '`_id` of the folder',
  idpId: '`_id` of the identity provider',
  inviteId: '`_id` of the invite',
  metricName: 'Such as `dtplatform.filesvc.FileCount`',
  byDimension: 'Dimensions and their values, each after a semicolon',
  name: 'Name, as it was given',
  nsfilter: 'Namespaces that the request is about; may come several times. Nothing outside of them is seen or changed',
  ...PAGE_WORDS,
  project: 'JSON object: path to 1 (include) or 0 (exclude)',
  '_versions.all': '`true`: all versions and not the latest alone',
  _id: 'Those with one of these ids',
  _name: 'Those with this name; where several may be given, with one of them',
  _shortName: 'Those with one of these short names',
  _userType: 'Those of this type of yours; where several may be given, of one of them',
  _type: 'Files (`file`) or folders (`dir`) alone',
  _status: 'Those with this status; where several may be given, with one of them',
  _tags: 'Tags of the new files, separated by commas',
  _namespace: 'Those of this namespace',
  _nsFilter: 'The same as `nsfilter`',
  _orgId: 'Those of this organization',
  _byId: 'What this user or client has done',
  _eventId: 'Those that this event has led to',
  '_trigger._id': 'Those of this trigger',
  '_user._type': 'Permissions that are held by users, groups, profiles or clients',
  '_user._id': 'Permissions that this user, group, profile or client holds itself',
  '_resourceDesc._irn': 'Permissions on this resource, as they were granted',
  '_resourceDesc._criteria._userType': 'Permissions that are narrowed to this type of yours',
  '_resourceDesc._criteria._itemClass': 'Permissions that are narrowed to this class of items',
  uploadType: '`resumable`: the upload is in pieces, by tus 1.0.0',
  signature: 'Comes with the address',
  expires: 'Comes with the address: when it ends, in seconds since 1970',
  includeAll: '`true`: also those that the caller is no member of, and may read',
  purge: '`true`: removes it for good',
  sortBy: 'Attribute by which the answer is ordered',
  sortOrder: '`ascending` or `descending`',
};

/** The parameter `page`, and the same in bodies. */
export const PAGE_SCHEMA = {
  type: 'object', description: 'Which part of a list',
  properties: {
    _offset: { type: 'integer', minimum: 0, description: PAGE_WORDS._offset },
    _pageSize: { type: 'integer', minimum: 0, description: PAGE_WORDS._pageSize },
  },
};

const NAMESPACES = { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } };

/** Nothing that has to be guessed: what a route does not say of a parameter is said for all. */
export function describeParameters(document: OpenAPIObject): OpenAPIObject {
  for (const parameter of operationsOf(document).flatMap(({ operation: { parameters = [] } }) => parameters)) {
    if (!('name' in parameter)) continue;
    const words = BY_NAME[parameter.name];
    if (words !== undefined) parameter.description ??= words;
    if (parameter.name === 'page') parameter.schema = jsonText(PAGE_SCHEMA);
    else if (parameter.name === 'nsfilter') parameter.schema = NAMESPACES;
    else if (Object.keys(parameter.schema ?? {}).length === 0) parameter.schema = { type: 'string' };
  }
  return document;
}
