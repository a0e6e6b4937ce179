import type { OpenApiInfo } from '@twinyard/service-kit';
import { examples } from './examples';

export const openApi: OpenApiInfo = {
  title: 'Triggers and notifications',
  description:
    'Triggers watch the events of the platform and tell the subscribers of their groups, by mail or by a '
    + 'signed webhook. A mail address hears of nothing before it is confirmed: that of an account by passportsvc, any other by the link of one confirmation mail. '
    + 'In this release a trigger with a script is refused, naming the field.',
  tags: [
    { name: 'triggers', description: 'Which events are told, by what, to whom' },
    { name: 'groups', description: 'Who is told' },
    { name: 'devices', description: 'Where people are told: a mail address or a webhook' },
    { name: 'subscriptions', description: 'Which devices belong to a group' },
    { name: 'senders', description: 'By whom people are told' },
    { name: 'templates', description: 'In which words' },
    { name: 'notifications', description: 'What has been told, and telling something yourself' },
  ],
  examples,
};
