import { formatIrn } from '@twinyard/conventions';
import type { ResourceFields } from '@twinyard/events';
import type { WorkspaceEntity } from './workspace.entity';

export const toWorkspaceEvent = (workspace: WorkspaceEntity): ResourceFields<'passportsvc.Workspace'> => ({
  _id: workspace.id,
  _irn: formatIrn('passportsvc', 'workspace', workspace.id),
  _name: workspace.name,
  _namespaces: [workspace.namespace],
  ...(workspace.userType !== null && { _userType: workspace.userType, _type: workspace.userType }),
  ...(workspace.appId !== null && { _applicationId: workspace.appId }),
  _applicationNamespace: workspace.parentNamespace,
});
