import type { OpenApiInfo } from '@twinyard/service-kit';
import { examples } from './examples';

export const openApi: OpenApiInfo = {
  title: 'Teams of agents',
  description: 'Stores teams of agents, each with a flow: a graph from `__start__` through agents to `__end__` that is checked when it is stored.',
  tags: [
    { name: 'teams', description: 'Teams of agents, each with the flow that its agents follow' },
  ],
  examples,
};
