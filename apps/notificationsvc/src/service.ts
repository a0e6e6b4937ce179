import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { notificationsvcSettings } from './config';
import { takeOneClick } from './links/one-click';

export const service = defineService({
  name: 'notificationsvc',
  settings: notificationsvcSettings,
  openApi: {
    title: 'Triggers and notifications',
    description:
      'Triggers watch the events of the platform and tell the subscribers of their groups, by mail or by a '
      + 'signed webhook. A mail address hears of nothing before it is confirmed: that of an account by passportsvc, any other by the link of one confirmation mail. '
      + 'In this release a trigger with a script is refused, naming the field.',
  },
  module: (settings) => AppModule.register(settings),
  configure: takeOneClick,
});
