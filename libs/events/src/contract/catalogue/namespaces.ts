import { amount, contract } from '../contract';
import type { Topic } from '../topics';

const purged = (topic: Extract<Topic, `${string}.namespace`>) => contract({
  topic,
  about: 'deleted: the service keeps nothing of a purged namespace any more; `_removed` is how many records that were. One event for all of them',
  fields: { _removed: amount },
});

export const namespaces = {
  'passportsvc.Namespace': purged('passportsvc.namespace'),
  'itemsvc.Namespace': purged('itemsvc.namespace'),
  'filesvc.Namespace': purged('filesvc.namespace'),
  'metricsvc.Namespace': purged('metricsvc.namespace'),
  'datasourcesvc.Namespace': purged('datasourcesvc.namespace'),
  'aisvc.Namespace': purged('aisvc.namespace'),
  'notificationsvc.Namespace': purged('notificationsvc.namespace'),
};
