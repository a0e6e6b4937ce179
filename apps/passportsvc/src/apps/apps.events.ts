import { formatIrn } from '@twinyard/conventions';
import type { ResourceFields } from '@twinyard/events';
import type { AppEntity } from './app.entity';

export const toAppEvent = (app: AppEntity): ResourceFields<'passportsvc.Application'> => ({
  _id: app.id,
  _irn: formatIrn('passportsvc', 'app', app.id),
  _name: app.name,
  _namespaces: [app.namespace],
  ...(app.userType !== null && { _userType: app.userType }),
  ...(app.orgId !== null && { _organizationId: app.orgId }),
});
