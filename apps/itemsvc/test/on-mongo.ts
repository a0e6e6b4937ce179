import { onEngine, type OwnEngines, ownEngines, sharedEngines } from '@twinyard/testing';
import { openMongo, useItemStores } from './item-stores';

/** A JVM that starts beside others on a busy machine. */
const START_MS = 300_000;

/** Specs of the service over HTTP, unchanged, with all that it keeps in MongoDB: nothing above the ports knows. */
export function runOnMongo(specs: readonly string[]): void {
  onEngine('mongo', () => {
    // The stand-in does one command that writes at a time: in one that is shared, these would wait for the imports of other suites.
    let own: OwnEngines | undefined;
    beforeAll(async () => {
      if (!sharedEngines().outside.includes('mongo')) own = await ownEngines(['mongo']);
    }, START_MS);
    useItemStores(() => openMongo(own?.settings));
    for (const spec of specs) jest.requireActual(`./${spec}.http.spec`);
    afterAll(() => own?.stop()); // after theirs
  });
}
