import type { AuditActor } from '../audit/audit-fact';

/** Whoever runs a command beside the service: the machine knows who, we do not. */
export const OPERATOR: AuditActor = { id: 'operator', address: '', requestId: '' };
