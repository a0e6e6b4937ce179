import { DataKeyRotation, type Envelope, type RotationStep } from '@twinyard/envelope';
import type { SqlTx, TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { AuditLog } from '../audit/audit-log';
import { OPERATOR } from '../encryption/operator';
import type { SealedSecrets } from './sealed-secrets';

export interface RotatedWith {
  readonly unitOfWork: TypeOrmUnitOfWork;
  readonly envelope: Envelope<SqlTx>;
  readonly secrets: SealedSecrets;
  readonly audit: AuditLog;
}

/** The rotation of the data keys that secrets lie under, told to the audit log of their namespaces. */
export function secretRotation({ unitOfWork, envelope, secrets, audit }: RotatedWith): DataKeyRotation<SqlTx> {
  const told = (tx: TypeOrmTx, { kind, key }: RotationStep) =>
    audit.record(tx, OPERATOR, { action: kind === 'made' ? 'ROTATE_KEY' : 'REMOVE_KEY', irn: 'passportsvc:secret:*', namespace: key.namespace, details: { keyId: key.id, version: key.version } });
  return new DataKeyRotation<SqlTx>(unitOfWork, envelope, { records: secrets, told });
}
