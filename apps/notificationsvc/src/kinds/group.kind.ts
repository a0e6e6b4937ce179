import { ResourceDto } from '../resources/resource.dto';
import type { ResourceKind } from '../resources/resource-kind';

export class GroupDto extends ResourceDto {}

export const groupKind: ResourceKind<GroupDto> = {
  kind: 'group',
  eventType: 'notificationsvc.Group',
  dto: GroupDto,
  named: true,
  toBody: ({ _description }) => ({ ...(_description !== undefined && { _description }) }),
  references: () => [],
};
