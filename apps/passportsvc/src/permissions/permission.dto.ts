import {
  type FieldIssue, GRANTABLE_ACTIONS, type GrantableAction, invalidFields, isKnownType, parseIrn, type PermissionRecord,
  PRINCIPAL_TYPES, type PrincipalType, type ResourceCriteria, type SubresourceDesc,
} from '@twinyard/conventions';
import type { Permission } from './permission.entity';
import type { PermissionDraft } from './permissions.repository';

export const toPermissionRecord = (permission: Permission): PermissionRecord => ({
  _id: permission.id,
  _namespace: permission.namespace,
  _actions: permission.actions,
  _resourceDesc: {
    _irn: permission.irn,
    ...(permission.criteria !== null && { _criteria: permission.criteria }),
    ...(permission.subresource !== null && { _subresourceDesc: permission.subresource }),
  },
  _user: { _type: permission.principalType, _id: permission.principalId },
});

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 200;

/** Reads one entry of the body. @throws ServiceError `invalid` with every fault; the caller turns it into a `_failures` entry. */
export function parsePermission(entry: unknown, createdById: string): PermissionDraft {
  const fields = isFields(entry) ? entry : {};
  const resource = isFields(fields['_resourceDesc']) ? fields['_resourceDesc'] : {};
  const user = isFields(fields['_user']) ? fields['_user'] : {};
  const issues: FieldIssue[] = [];
  const check = (fine: boolean, field: string, issue: string) => {
    if (!fine) issues.push({ field, issue });
  };
  check(isText(fields['_namespace']), '_namespace', 'is required');
  check(areActions(fields['_actions']), '_actions', `must be a non-empty array of ${GRANTABLE_ACTIONS.join(', ')}`);
  check((PRINCIPAL_TYPES as readonly unknown[]).includes(user['_type']), '_user._type', `must be one of ${PRINCIPAL_TYPES.join(', ')}`);
  check(isText(user['_id']), '_user._id', 'is required');
  issues.push(...resourceIssues(resource));
  if (issues.length > 0) throw invalidFields(issues);
  const criteria = resource['_criteria'] as ResourceCriteria | undefined;
  const subresource = resource['_subresourceDesc'] as SubresourceDesc | undefined;
  return {
    namespace: fields['_namespace'] as string,
    actions: [...new Set(fields['_actions'] as GrantableAction[])],
    irn: resource['_irn'] as string,
    ...(criteria && { criteria: toCriteria(criteria) }),
    ...(subresource && { subresource: { _type: 'relateditem', _criteria: subresource._criteria } }),
    user: { type: user['_type'] as PrincipalType, id: user['_id'] as string },
    createdById,
  };
}

const areActions = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((action) => (GRANTABLE_ACTIONS as readonly unknown[]).includes(action));

const toCriteria = ({ _itemClass, _userType }: ResourceCriteria): ResourceCriteria => ({
  ...(_itemClass !== undefined && { _itemClass }),
  ...(_userType !== undefined && { _userType }),
});

function resourceIssues(resource: Fields): FieldIssue[] {
  const irnText = resource['_irn'];
  const field = '_resourceDesc._irn';
  if (!isText(irnText)) return [{ field, issue: 'is required' }];
  try {
    const irn = parseIrn(irnText, field);
    if (!isKnownType(irn)) return [{ field, issue: `speaks of ${irn.service}:${irn.type}, and there is no such resource type` }];
    return [...criteriaIssues(irnText, resource['_criteria']), ...subresourceIssues(irn.id !== '*' && irnText.startsWith('itemsvc:nameduseritem:'), resource['_subresourceDesc'])];
  } catch {
    return [{ field, issue: 'must have the form <service>:<resource type>:<id>' }];
  }
}

function criteriaIssues(irn: string, criteria: unknown): FieldIssue[] {
  if (criteria === undefined || criteria === null) return [];
  const field = '_resourceDesc._criteria';
  if (irn !== 'itemsvc:nameduseritem:*') return [{ field, issue: 'narrows itemsvc:nameduseritem:* only' }];
  const fits = isFields(criteria) && (isText(criteria['_itemClass']) || isText(criteria['_userType']));
  return fits ? [] : [{ field, issue: 'must hold _itemClass and/or _userType' }];
}

function subresourceIssues(isOneCollection: boolean, subresource: unknown): FieldIssue[] {
  if (subresource === undefined || subresource === null) return [];
  const field = '_resourceDesc._subresourceDesc';
  if (!isOneCollection) return [{ field, issue: 'goes with the IRN of one collection only' }];
  return isSubresource(subresource) ? [] : [{ field, issue: SUBRESOURCE_FORM }];
}

export const SUBRESOURCE_FORM = 'must have the form { _type: "relateditem", _criteria: { <field>: <value> } }, each value a text, a number, true, false or null';

const MAX_CRITERIA = 20;

/** The form that itemsvc compiles into its queries: what it could not read would be a grant of nothing. */
export function isSubresource(value: unknown, isValue = isScalar): value is SubresourceDesc {
  if (!isFields(value) || value['_type'] !== 'relateditem' || !isFields(value['_criteria'])) return false;
  const entries = Object.entries(value['_criteria']);
  return entries.length > 0 && entries.length <= MAX_CRITERIA && entries.every(([field, wanted]) => isFieldPath(field) && isValue(wanted));
}

/** Dotted; no part of it an operator. */
const isFieldPath = (path: string) => isText(path) && !path.endsWith('.') && !path.split('.').some((name) => name.startsWith('$'));
export const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value);
