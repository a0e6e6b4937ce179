import { folded } from '@twinyard/service-kit';
import type { Attribute } from '../schema/attribute';
import type { AttributeTarget } from '../schema/user-schema';

/** What `app_user` (u) and `scim_user` (s) call what SCIM has a name for. All else is in the document, under SCIM's own names. */
const COLUMNS: Readonly<Record<string, string>> = {
  id: 'u.id::text',
  userName: 'coalesce(u.user_name, u.email)',
  'name.givenName': `nullif(u.firstname, '')`,
  'name.familyName': `nullif(u.lastname, '')`,
  locale: `coalesce(u.locale, s.document ->> 'locale')`,
  active: `(CASE WHEN u.disabled AND s.document ? 'active' THEN NULL ELSE NOT u.disabled END)`,
  'meta.resourceType': `'User'`,
  // JavaScript wrote and shows milliseconds.
  'meta.created': `date_trunc('milliseconds', u.created_at)`,
  'meta.lastModified': `date_trunc('milliseconds', u.updated_at)`,
};

/** The same without regard to case, where an index has it. */
const FOLDED: Readonly<Record<string, string>> = { userName: 'u.user_name_key' };

/** A user whom SCIM has never written has the account's address. */
const EMAILS = `(CASE WHEN s.user_id IS NULL THEN jsonb_build_array(jsonb_build_object('value', u.email, 'type', 'work', 'primary', true)) ELSE coalesce(s.document -> 'emails', '[]') END)`;

/** An SQL expression for a value, and another one for how it is compared. */
export interface Column {
  readonly value: string;
  readonly compared: string;
}

/** Of an attribute with one value. Names come from the schema, never from a caller. */
export function columnOf({ extension, attribute, sub }: AttributeTarget): Column {
  const name = sub === undefined ? attribute.name : `${attribute.name}.${sub.name}`;
  const path = [...(extension === undefined ? [] : [extension]), attribute.name, ...(sub === undefined ? [] : [sub.name])];
  const value = (extension === undefined ? COLUMNS[name] : undefined) ?? inDocument(path);
  const folded = extension === undefined ? FOLDED[name] : undefined;
  return { value, compared: folded ?? comparedBy(sub ?? attribute, value) };
}

/** As the index on `externalId` has it. */
const inDocument = (path: readonly string[]): string => `(s.document ${path.map((name, index) => `${index < path.length - 1 ? '->' : '->>'} '${name}'`).join(' ')})`;

/** All values of a multi-valued attribute, as a JSON array. */
export const valuesOf = ({ name }: Attribute): string => (name === 'emails' ? EMAILS : `coalesce(s.document -> '${name}', '[]')`);

/** A part of one value `e` of them. */
export function partColumnOf(sub: Attribute): Column {
  const text = `e.value ->> '${sub.name}'`;
  const value = sub.type === 'boolean' ? `(${text})::boolean` : `(${text})`;
  return { value, compared: comparedBy(sub, value) };
}

const comparedBy = (attribute: Attribute, value: string): string =>
  ((attribute.type === 'string' || attribute.type === 'reference') && attribute.caseExact !== true ? folded(value) : value);
