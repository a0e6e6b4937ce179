import { readdirSync } from 'node:fs';
import { onEngine, type OwnEngines, ownEngines, sharedEngines } from '@twinyard/testing';
import { openMongo, useItemStores } from './item-stores';

/** A JVM that starts beside others on a busy machine. */
const START_MS = 300_000;

/** Files that share them: minutes each, so that no worker is left with all of them at the end. */
const PARTS = 3;

/** Of this folder, in the order of their names; a new one is among them. */
const SPECS = readdirSync(__dirname).filter((name) => name.endsWith('.http.spec.ts')).sort();

/** Specs of the service over HTTP, unchanged, with all that it keeps in MongoDB: nothing above the ports knows. `part`: 1, 2 or 3. */
export function runOnMongo(part: number): void {
  onEngine('mongo', () => {
    // The stand-in does one command that writes at a time: in one that is shared, these would wait for the imports of other suites.
    let own: OwnEngines | undefined;
    beforeAll(async () => {
      if (!sharedEngines().outside.includes('mongo')) own = await ownEngines(['mongo']);
    }, START_MS);
    useItemStores(() => openMongo(own?.settings));
    for (const spec of SPECS.filter((_, index) => index % PARTS === part - 1)) jest.requireActual(`./${spec}`);
    afterAll(() => own?.stop()); // after theirs
  });
}
