import type { AuditFact } from '../audit/audit-fact';
import type { Permission } from './permission.entity';

/** The actions of a grant are what is held from then on, of a revocation what was held. */
export const grantFact = (action: 'GRANT' | 'REVOKE', { id, irn, namespace, actions, principalType, principalId, criteria, subresource }: Permission): AuditFact => ({
  action, irn, namespace,
  details: {
    permissionId: id, principalType, principalId, actions,
    ...(criteria && { criteria: JSON.stringify(criteria) }), ...(subresource && { subresource: JSON.stringify(subresource) }),
  },
});
