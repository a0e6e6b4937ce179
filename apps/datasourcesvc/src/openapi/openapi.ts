import type { OpenApiInfo } from '@twinyard/service-kit';
import { examples } from './examples';

export const openApi: OpenApiInfo = {
  title: 'Orchestrators and their runs',
  description:
    'An orchestrator is a list of steps, each of which names a component (`GET /orchcomponents`) and its parameters. A run goes through them in order ' +
    'with the rights of whoever started it, survives the death of its worker, and can be watched and cancelled.',
  tags: [
    { name: 'orchestrators', description: 'Lists of steps, each a component with its parameters' },
    { name: 'runs', description: 'What has been started, step by step, with its log and its result' },
    { name: 'schedules', description: 'When an orchestrator runs by itself' },
    { name: 'components', description: 'What steps can do, with the schemas of their parameters' },
  ],
  examples,
};
