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
      'Triggers watch the events of the platform and tell the subscribers of their groups, by mail to the address of their own account or by a '
      + 'signed webhook. In this release a trigger with a script, and a device with another mail address, are refused, naming the field.',
  },
  module: (settings) => AppModule.register(settings),
  configure: takeOneClick,
});
