import { invalidPath, invalidValue, notMutable, noTarget } from '../protocol/scim-error';
import { isObject, type Json, type JsonObject, type UserAttributes } from '../schema/attribute-values';
import { ENTERPRISE_SCHEMA_ID } from '../schema/user-schema';
import { changeAttribute } from './attribute-change';
import { findPatchTarget, isExtension, isInExtension, type PatchTarget } from './patch-path';
import type { PatchOperation, PatchVerb } from './patch-request';

/** RFC 7644 section 3.5.2: all operations in their order, or none; nothing here is changed in place. */
export const applyPatch = (user: UserAttributes, operations: readonly PatchOperation[]): UserAttributes => operations.reduce(applyOperation, user);

function applyOperation(user: UserAttributes, { verb, path, value }: PatchOperation): UserAttributes {
  if (path === undefined) return applyPathless(user, verb, value);
  if (isExtension(path)) return applyToExtension(user, verb, value);
  const target = findPatchTarget(path);
  if (target === undefined && isInExtension(path)) return user;
  if (target === undefined) throw invalidPath(`path: there is no attribute ${path}`);
  if ((target.sub ?? target.attribute).mutability === 'readOnly') throw notMutable(`path: ${path} is read-only`);
  if (verb !== 'remove' && value === undefined) throw invalidValue(`value: ${verb} needs one`);
  return applyTo(user, target, verb, value);
}

/** The members of the value are attributes, or paths such as `name.givenName`. Unknown and read-only ones are left out, as in a POST. */
function applyPathless(user: UserAttributes, verb: PatchVerb, value: Json | undefined): UserAttributes {
  if (verb === 'remove') throw noTarget('path: remove needs one');
  if (!isObject(value)) throw invalidValue('value: must be an object where there is no path');
  return Object.entries(value).reduce((changed, [name, part]) => {
    if (isExtension(name)) return applyToExtension(changed, verb, part);
    const target = findPatchTarget(name);
    const isWritable = target !== undefined && (target.sub ?? target.attribute).mutability === 'readWrite';
    return isWritable ? applyTo(changed, target, verb, part) : changed;
  }, user);
}

function applyToExtension(user: UserAttributes, verb: PatchVerb, value: Json | undefined): UserAttributes {
  if (verb === 'remove' || value === null) return withPart(user, ENTERPRISE_SCHEMA_ID, undefined);
  if (!isObject(value)) throw invalidValue('value: must be an object with attributes of the extension');
  return Object.entries(value).reduce((changed, [name, part]) => {
    const target = findPatchTarget(`${ENTERPRISE_SCHEMA_ID}:${name}`);
    return target === undefined ? changed : applyTo(changed, target, verb, part);
  }, user);
}

function applyTo(user: UserAttributes, target: PatchTarget, verb: PatchVerb, value: Json | undefined): UserAttributes {
  const { extension, attribute } = target;
  if (extension === undefined) return withPart(user, attribute.name, changeAttribute(target, user[attribute.name], verb, value));
  const parts = (user[extension] ?? {}) as JsonObject;
  const changed = withPart(parts, attribute.name, changeAttribute(target, parts[attribute.name], verb, value));
  return withPart(user, extension, Object.keys(changed).length === 0 ? undefined : changed);
}

function withPart(parts: JsonObject, name: string, value: Json | undefined): JsonObject {
  const { [name]: _before, ...others } = parts;
  return value === undefined ? others : { ...others, [name]: value };
}
