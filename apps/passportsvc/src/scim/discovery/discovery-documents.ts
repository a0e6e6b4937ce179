import { MAX_COUNT } from '../protocol/query';
import { SCIM_PATH } from '../protocol/scim-answers';
import type { Schema } from '../schema/attribute';
import type { JsonObject } from '../schema/attribute-values';
import { ENTERPRISE_SCHEMA_ID, USER_SCHEMA, USER_SCHEMA_ID } from '../schema/user-schema';

/** RFC 7643 section 5. */
export const serviceProviderConfig = (baseUrl: string): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [{
    type: 'oauthbearertoken', name: 'OAuth Bearer Token', primary: true, specUri: 'https://www.rfc-editor.org/info/rfc6750',
    description: 'A token by client credentials with the scope `scim`',
  }],
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}${SCIM_PATH}/ServiceProviderConfig` },
});

/** RFC 7643 section 6. */
export const userResourceType = (baseUrl: string): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: 'User',
  name: 'User',
  description: USER_SCHEMA.description,
  endpoint: '/Users',
  schema: USER_SCHEMA_ID,
  schemaExtensions: [{ schema: ENTERPRISE_SCHEMA_ID, required: false }],
  meta: { resourceType: 'ResourceType', location: `${baseUrl}${SCIM_PATH}/ResourceTypes/User` },
});

/** RFC 7643 section 7. */
export const schemaResource = ({ id, name, description, attributes }: Schema, baseUrl: string): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id, name, description,
  attributes: attributes as unknown as JsonObject[],
  meta: { resourceType: 'Schema', location: `${baseUrl}${SCIM_PATH}/Schemas/${id}` },
});
