import type { JsonObject } from '../schema/attribute-values';
import { ENTERPRISE_SCHEMA_ID, USER_SCHEMA_ID } from '../schema/user-schema';
import { SCIM_PATH } from '../protocol/scim-answers';
import { attributesOf, type ScimUser, versionOf } from './scim-user';

export interface ScimResource extends JsonObject {
  readonly id: string;
  readonly meta: { readonly resourceType: string; readonly created: string; readonly lastModified: string; readonly location: string; readonly version: string };
}

export function toResource(user: ScimUser, baseUrl: string): ScimResource {
  const attributes = attributesOf(user);
  const { id, createdAt, updatedAt } = user.account;
  return {
    schemas: [USER_SCHEMA_ID, ...(attributes[ENTERPRISE_SCHEMA_ID] === undefined ? [] : [ENTERPRISE_SCHEMA_ID])],
    id,
    ...attributes,
    meta: {
      resourceType: 'User', created: createdAt.toISOString(), lastModified: updatedAt.toISOString(),
      location: `${baseUrl}${SCIM_PATH}/Users/${id}`, version: versionOf(attributes),
    },
  };
}

export const LIST_SCHEMA_ID = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export interface ListResponse {
  readonly schemas: readonly [typeof LIST_SCHEMA_ID];
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly JsonObject[];
}

export const toListResponse = (resources: readonly JsonObject[], totalResults = resources.length, startIndex = 1): ListResponse =>
  ({ schemas: [LIST_SCHEMA_ID], totalResults, startIndex, itemsPerPage: resources.length, Resources: resources });
