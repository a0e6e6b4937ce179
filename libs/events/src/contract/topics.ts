/**
 * One topic per aggregate: what must keep its order shares a topic and a key. Versions, related items and readings go with their
 * item, file versions and previews with their file, members with their group.
 */
export const TOPICS = [
  'passportsvc.organization',
  'passportsvc.application',
  'passportsvc.workspace',
  'passportsvc.usergroup',
  'passportsvc.invite',
  'passportsvc.user',
  'passportsvc.permissionprofile',
  'passportsvc.secret',
  'itemsvc.item',
  'itemsvc.schemadefinition',
  'itemsvc.telemetryconfig',
  'filesvc.file',
  'filesvc.folder',
  'datasourcesvc.orchestrator',
  'datasourcesvc.orchestratorrun',
  'aisvc.agent',
  'aisvc.team',
  'notificationsvc.trigger',
  'notificationsvc.sender',
  'notificationsvc.template',
  'notificationsvc.group',
  'notificationsvc.subscription',
  'notificationsvc.device',
  'notificationsvc.notification',
  'passportsvc.namespace',
  'itemsvc.namespace',
  'filesvc.namespace',
  'metricsvc.namespace',
  'datasourcesvc.namespace',
  'aisvc.namespace',
  'notificationsvc.namespace',
] as const;

export type Topic = (typeof TOPICS)[number];

/** Where events go that a group could not handle. */
export const deadTopicOf = (topic: string) => `${topic}.dead`;
