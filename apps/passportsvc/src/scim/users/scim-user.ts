import { createHash } from 'node:crypto';
import { invalidValue } from '../protocol/scim-error';
import { isAddress, type JsonObject, type UserAttributes } from '../schema/attribute-values';
import { toEmail } from '../../users/users.repository';
import type { UserEntity } from '../../users/user.entity';

/** A user as SCIM knows it: the account, and beside it what the account has no place for. */
export interface ScimUser {
  readonly account: UserEntity;
  /** Whose client made it; `null` for a user whom no organization's client made. */
  readonly orgId: string | null;
  /** `null` for a user whom SCIM has never written. */
  readonly document: JsonObject | null;
}

export type AccountFields = Pick<UserEntity, 'userName' | 'email' | 'firstname' | 'lastname' | 'locale' | 'disabled'>;

/** RFC 2606: an address that no mail reaches, for those of whom the provider told none. */
const NOWHERE = 'users.invalid';
const LANGUAGE_TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;
const MAX_USER_NAME = 255;

/** The attributes that a user has. */
export function attributesOf({ account, document }: ScimUser): UserAttributes {
  const { active, name, locale, ...others } = document ?? unwritten(account);
  const names = { ...(name as JsonObject | undefined), ...(account.firstname !== '' && { givenName: account.firstname }), ...(account.lastname !== '' && { familyName: account.lastname }) };
  const language = account.locale ?? locale;
  // `null`: the provider has taken the attribute away, which put the user out.
  const isUnassigned = active === null && account.disabled;
  return {
    userName: account.userName ?? account.email,
    ...others,
    ...(Object.keys(names).length > 0 && { name: names }),
    ...(language !== undefined && { locale: language }),
    ...(!isUnassigned && { active: !account.disabled }),
  };
}

/** What stands for the document of a user whom SCIM has never written. */
const unwritten = ({ email }: UserEntity): JsonObject => ({ emails: [{ value: email, type: 'work', primary: true }] });

/** What is written for a user to have these attributes: columns of the account, and the rest. */
export function storedForm(id: string, attributes: UserAttributes): { readonly account: AccountFields; readonly document: JsonObject } {
  const { userName, active, name, locale, ...others } = attributes;
  const { givenName, familyName, ...names } = (name ?? {}) as Record<string, string | undefined>;
  const tag = typeof locale === 'string' ? locale.replaceAll('_', '-') : '';
  const account = {
    userName: requireUserName(userName), email: addressOf(id, attributes), firstname: givenName ?? '', lastname: familyName ?? '',
    locale: LANGUAGE_TAG.test(tag) ? tag : null, disabled: active !== true,
  };
  const document = {
    ...others,
    ...(Object.keys(names).length > 0 && { name: names }),
    ...(account.locale === null && locale !== undefined && { locale }),
    ...(active === undefined && { active: null }),
  };
  return { account, document };
}

function requireUserName(userName: unknown): string {
  if (typeof userName !== 'string' || userName.trim() === '') throw invalidValue('userName: is required');
  if (userName.length > MAX_USER_NAME) throw invalidValue(`userName: has at most ${MAX_USER_NAME} characters`);
  return userName;
}

/** The primary address, else the first for work, else the first, else a user name that is one. */
function addressOf(id: string, { emails, userName }: UserAttributes): string {
  const all = (emails ?? []) as readonly JsonObject[];
  const chosen = all.find(({ primary }) => primary === true) ?? all.find(({ type }) => String(type).toLowerCase() === 'work') ?? all[0];
  if (chosen !== undefined) return toEmail(String(chosen['value']));
  return isAddress(String(userName)) ? toEmail(String(userName)) : `${id}@${NOWHERE}`;
}

/** A weak entity tag of what a user is, whoever changed it: nothing changed, nothing new. */
export const versionOf = (attributes: UserAttributes): string => `W/"${createHash('sha256').update(canonical(attributes)).digest('base64url').slice(0, 22)}"`;

export const isSameUser = (one: UserAttributes, other: UserAttributes): boolean => canonical(one) === canonical(other);

/** JSON in which the order of names means nothing. */
const canonical = (value: unknown): string => JSON.stringify(value, (_, part: unknown) =>
  (typeof part === 'object' && part !== null && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part));
