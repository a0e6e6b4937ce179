import { readdirSync } from 'node:fs';
import { onEngine } from '@twinyard/testing';
import { openMongo, useItemStores } from './item-stores';

// Every spec of the service over HTTP, unchanged, with all that it keeps in MongoDB: nothing above the ports knows.
onEngine('mongo', () => {
  useItemStores(openMongo);
  for (const spec of readdirSync(__dirname).filter((name) => name.endsWith('.http.spec.ts'))) jest.requireActual(`./${spec}`);
});
