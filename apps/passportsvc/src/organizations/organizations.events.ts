import { formatIrn } from '@twinyard/conventions';
import type { ResourceFields } from '@twinyard/events';
import type { OrganizationEntity } from './organization.entity';

export const toOrganizationEvent = (organization: OrganizationEntity): ResourceFields<'passportsvc.Organization'> => ({
  _id: organization.id,
  _irn: formatIrn('passportsvc', 'organization', organization.id),
  _name: organization.name,
  _namespaces: [organization.namespace],
  ...(organization.userType !== null && { _userType: organization.userType }),
});
