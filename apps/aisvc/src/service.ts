import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { aisvcSettings } from './config';

export const service = defineService({
  name: 'aisvc',
  settings: aisvcSettings,
  openApi: {
    title: 'Teams of agents',
    description: 'Stores teams of agents, each with a flow: a graph from `__start__` through agents to `__end__` that is checked when it is stored.',
  },
  module: (settings) => AppModule.register(settings),
});
