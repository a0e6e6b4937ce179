import { type BodyExamples, EXAMPLE_IDS } from '@twinyard/service-kit';

const { namespace, email, group, sender, template } = EXAMPLE_IDS;

const _namespaces = [namespace];
const named = (_name: string, body: object) => ({ _name, _namespaces, ...body });
/** A name is given once. */
const changed = (body: object) => ({ _namespaces, ...body });

const DEVICE = { _transport: 'EMAIL', _email: { _address: email } };
const GROUP = { _description: 'Who wants to know of new files' };
const SENDER = { _transport: 'EMAIL', _email: { _address: 'house@example.com', _displayName: 'The house' } };
const SUBSCRIPTION = { _group: { _id: group } };
const TEMPLATE = { _transport: 'EMAIL', _email: { _subject: 'A new file', _body: 'There is a new file: $request.resource._name' } };
const TRIGGER = {
  _type: 'EVENT', _event: { _filters: { filter: { event: 'resource.ResourceCreated', 'resource.type': 'filesvc.File' } } },
  _senders: [{ _id: sender }], _templates: [{ _id: template }], _groups: [{ _id: group }],
};

export const examples: BodyExamples = {
  createDevice: named('My mail', DEVICE), updateDevice: changed(DEVICE),
  createGroup: named('House keepers', GROUP), updateGroup: changed(GROUP),
  createSender: named('The house', SENDER), updateSender: changed(SENDER),
  createSubscription: named('Mine', SUBSCRIPTION), updateSubscription: changed(SUBSCRIPTION),
  createTemplate: named('A new file', TEMPLATE), updateTemplate: changed(TEMPLATE),
  createTrigger: named('Tell of new files', TRIGGER), updateTrigger: changed(TRIGGER),
  tellNotice: { _name: 'The boiler is cold', _message: 'It has been below 40 °C for an hour', _data: { level: 'high' }, _namespaces },
};
