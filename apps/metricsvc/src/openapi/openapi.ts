import type { OpenApiInfo } from '@twinyard/service-kit';

export const openApi: OpenApiInfo = {
  title: 'Metrics',
  description:
    'Counts and sizes of files and items per namespace, computed from the events of the other services alone. Points stand on whole hours (UTC): '
    + 'the stamp is the start of an hour in which the value changed, the value the last of that hour. A namespace that the caller may not read has no points.',
  tags: [
    { name: 'metrics', description: 'Counts and sizes, hour by hour' },
  ],
};
