import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { datasourcesvcSettings } from './config';

export const service = defineService({
  name: 'datasourcesvc',
  settings: datasourcesvcSettings,
  openApi: {
    title: 'Orchestrators and their runs',
    description:
      'An orchestrator is a list of steps, each of which names a component (`GET /orchcomponents`) and its parameters. A run goes through them in order ' +
      'with the rights of whoever started it, survives the death of its worker, and can be watched and cancelled.',
  },
  module: (settings) => AppModule.register(settings),
});
