import { type Attribute, complex, findAttribute, flag, plural, reference, type Schema, text, time } from './attribute';

export const USER_SCHEMA_ID = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_SCHEMA_ID = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const NAME = complex('name', 'The parts of the user\'s name.', [
  text('formatted', 'The whole name, as it is to be shown.'),
  text('familyName', 'The last name.'),
  text('givenName', 'The first name.'),
  text('middleName', 'The middle names.'),
  text('honorificPrefix', 'Titles before the name.'),
  text('honorificSuffix', 'What comes after the name.'),
]);

const ADDRESSES = complex('addresses', 'Postal addresses.', [
  text('formatted', 'The whole address, as it is to be shown.'),
  text('streetAddress', 'Street, house number, box.'),
  text('locality', 'The city.'),
  text('region', 'The state or region.'),
  text('postalCode', 'The postal code.'),
  text('country', 'The country, by its ISO 3166-1 code of two letters.'),
  text('type', 'What the address is for.', { canonicalValues: ['work', 'home', 'other'] }),
  flag('primary', 'Whether it is the preferred one; at most one value is.'),
], { multiValued: true });

/**
 * RFC 7643 section 4.1, as far as it is stored. Not in it: `password`, since users that SCIM makes sign in through their provider or
 * set a password of their own; `groups`, since groups are kept here and not by the provider; `x509Certificates`.
 */
export const USER_SCHEMA: Schema = {
  id: USER_SCHEMA_ID,
  name: 'User',
  description: 'User account',
  attributes: [
    text('userName', 'What the provider calls the user. Unique on the whole platform, without regard to case.', { required: true, uniqueness: 'server' }),
    NAME,
    text('displayName', 'The name that is to be shown.'),
    text('nickName', 'A casual name.'),
    reference('profileUrl', 'The page of the user\'s profile.', ['external']),
    text('title', 'For example the position in the company.'),
    text('userType', 'For example employee or contractor.'),
    text('preferredLanguage', 'As in the header `Accept-Language`.'),
    text('locale', 'A language tag; mails and pages are in that language where they can be.'),
    text('timezone', 'A name of the IANA time zone database.'),
    flag('active', 'Whether the user may come in. One that is made inactive is out at once; removing the attribute does the same.'),
    plural('emails', 'E-mail addresses. The primary one, else the first of type work, else the first is the account\'s and unique on the whole platform.',
      ['work', 'home', 'other'], text('value', 'The address.')),
    plural('phoneNumbers', 'Telephone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    plural('ims', 'Addresses for instant messages.', []),
    plural('photos', 'Addresses of pictures.', ['photo', 'thumbnail'], reference('value', 'The address.', ['external'])),
    ADDRESSES,
    plural('entitlements', 'What the user is entitled to; kept, and of no effect here.', []),
    plural('roles', 'Roles of the user; kept, and of no effect here.', []),
  ],
};

/** RFC 7643 section 4.3. */
export const ENTERPRISE_SCHEMA: Schema = {
  id: ENTERPRISE_SCHEMA_ID,
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    text('employeeNumber', 'Identifier that the organization gave the user.'),
    text('costCenter', 'Name of the cost centre.'),
    text('organization', 'Name of the organization.'),
    text('division', 'Name of the division.'),
    text('department', 'Name of the department.'),
    complex('manager', 'The user\'s manager.', [
      text('value', 'The `id` of the manager.'),
      reference('$ref', 'The address of the manager\'s record.', ['User']),
      text('displayName', 'The manager\'s name.'),
    ]),
  ],
};

export const SCHEMAS: readonly Schema[] = [USER_SCHEMA, ENTERPRISE_SCHEMA];

/** RFC 7643 section 3.1: they belong to every resource and are in no schema. */
const COMMON: readonly Attribute[] = [
  text('id', 'Identifier that this service gave the user.', { mutability: 'readOnly', caseExact: true, returned: 'always', uniqueness: 'server' }),
  text('externalId', 'Identifier that the provider gave the user.', { caseExact: true }),
  complex('meta', 'Of the record.', [
    text('resourceType', 'Always User.', { mutability: 'readOnly', caseExact: true }),
    time('created', 'When the user was made.'),
    time('lastModified', 'When the user was last changed.'),
  ], { mutability: 'readOnly' }),
];

export const ROOT_ATTRIBUTES: readonly Attribute[] = [...COMMON, ...USER_SCHEMA.attributes];

/** An attribute of a user, or a part of one. */
export interface AttributeTarget {
  /** Id of the extension that it belongs to. */
  readonly extension?: string;
  readonly attribute: Attribute;
  readonly sub?: Attribute;
}

/** By a name such as `userName`, `name.givenName` or `urn:…:enterprise:2.0:User:department`; `undefined` when there is no such attribute. */
export function findTarget(path: string): AttributeTarget | undefined {
  const { extension, name } = splitSchema(path);
  const [first = '', ...rest] = name.split('.');
  const attribute = findAttribute(extension === undefined ? ROOT_ATTRIBUTES : ENTERPRISE_SCHEMA.attributes, first);
  if (attribute === undefined) return undefined;
  const target = extension === undefined ? { attribute } : { extension, attribute };
  if (rest.length === 0) return target;
  const sub = rest.length > 1 ? undefined : findAttribute(attribute.subAttributes, rest[0] ?? '');
  return sub && { ...target, sub };
}

function splitSchema(path: string): { readonly extension?: string; readonly name: string } {
  const folded = path.toLowerCase();
  if (folded.startsWith(`${USER_SCHEMA_ID.toLowerCase()}:`)) return { name: path.slice(USER_SCHEMA_ID.length + 1) };
  if (folded.startsWith(`${ENTERPRISE_SCHEMA_ID.toLowerCase()}:`)) return { extension: ENTERPRISE_SCHEMA_ID, name: path.slice(ENTERPRISE_SCHEMA_ID.length + 1) };
  return { name: path };
}
