import { z } from 'zod';
import { contract, text } from '../contract';

export const datasourcesvc = {
  'datasourcesvc.Orchestrator': contract({ topic: 'datasourcesvc.orchestrator', about: 'an orchestrator was made, changed or deleted' }),
  'datasourcesvc.OrchestratorRun': contract({
    topic: 'datasourcesvc.orchestratorrun',
    about: 'a run was queued, changed its state or was deleted',
    fields: { _status: text, _orchid: text },
  }),
};

export const aisvc = {
  'aisvc.Agent': contract({ topic: 'aisvc.agent', about: 'an agent was made, changed or deleted' }),
  'aisvc.Team': contract({ topic: 'aisvc.team', about: 'a team was made, changed or deleted' }),
};

export const notificationsvc = {
  'notificationsvc.Trigger': contract({ topic: 'notificationsvc.trigger', about: 'a trigger was made, changed or deleted' }),
  'notificationsvc.Sender': contract({ topic: 'notificationsvc.sender', about: 'a sender was made, changed or deleted' }),
  'notificationsvc.Template': contract({ topic: 'notificationsvc.template', about: 'a template was made, changed or deleted' }),
  'notificationsvc.Group': contract({ topic: 'notificationsvc.group', about: 'a notification group was made, changed or deleted' }),
  'notificationsvc.Subscription': contract({
    topic: 'notificationsvc.subscription',
    about: 'a subscription was made, changed its state or was deleted',
    fields: { _status: text.optional() },
  }),
  'notificationsvc.Device': contract({ topic: 'notificationsvc.device', about: 'a device was made, changed or deleted', fields: { _status: text.optional() } }),
  'notificationsvc.Notification': contract({
    topic: 'notificationsvc.notification',
    about: 'the state of a notification changed',
    fields: { _status: text.optional() },
  }),
  'notificationsvc.Notice': contract({
    topic: 'notificationsvc.notification',
    about: 'somebody has something to tell; nobody keeps it, and triggers say who hears of it',
    fields: { _message: text.optional(), _data: z.record(z.string(), z.unknown()).optional() },
  }),
};
