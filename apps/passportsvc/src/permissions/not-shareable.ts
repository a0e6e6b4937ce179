import { forbidden, type ServiceError } from '@twinyard/conventions';
import type { PermissionDraft } from './permissions.repository';

/** Contract 0.4: nobody grants what they do not hold and may not share. */
export const notShareable = ({ irn, namespace }: Pick<PermissionDraft, 'irn' | 'namespace'>): ServiceError =>
  forbidden(`You need SHARE and each granted action on ${irn} in ${namespace}, which an owner there can grant`);
