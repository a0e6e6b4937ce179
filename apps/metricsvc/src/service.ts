import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { metricsvcSettings } from './config';

export const service = defineService({
  name: 'metricsvc',
  settings: metricsvcSettings,
  openApi: {
    title: 'Metrics',
    description:
      'Counts and sizes of files and items per namespace, computed from the events of the other services alone. Points stand on whole hours (UTC): '
      + 'the stamp is the start of an hour in which the value changed, the value the last of that hour. A namespace that the caller may not read has no points.',
  },
  module: (settings) => AppModule.register(settings),
});
