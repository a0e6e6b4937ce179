import { toCloudEvent } from '../src/contract/cloud-event';
import { type NewEvent, resourceCreated } from '../src/contract/event';
import type { BusMessage } from '../src/bus/event-bus';

export const ORIGIN = { userId: 'user-1', requestId: 'request-1', address: '203.0.113.7' };

/** A file event; `id` is its key, `name` tells it from others of the key. */
export function fileEvent(id: string, name: string): NewEvent<'filesvc.File'> {
  const fields = { _id: id, _irn: `filesvc:file:${id}`, _name: name, _namespaces: ['ns_1'], _parents: ['root'], _tipId: 'v1', _tipVersion: 1, _fileSize: 7, _tags: [], _graphics: false };
  return resourceCreated('filesvc.File', fields, ORIGIN);
}

/** The event as a relay would hand it to the bus. */
export const fileMessage = (topic: string, key: string, name: string): BusMessage => ({ topic, event: toCloudEvent(fileEvent(key, name), 1) });

export const nameOf = (event: { readonly data: { readonly resource: object } }) => (event.data.resource as { _name?: string })._name;
