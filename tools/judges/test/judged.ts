import { noteSkip } from '@twinyard/testing';
import { environment } from '../config';
import { pythonTools } from '../python-tools';

const PATIENCE_MS = 300_000;
const tools = pythonTools();

export interface Judges {
  /** In an environment with all of them. */
  readonly python: string;
  readonly scimSanity: string;
  readonly schemathesis: string;
}

export const areJudgesThere = !('missing' in tools);

/**
 * A test by judges that others wrote, of a suite of this name. Without them it is skipped: in CI by name and with the reason, at a desk the run fails
 * instead of saying nothing.
 */
export const judgedIn = (suite: string) => (name: string, body: (judges: Judges) => void | Promise<void>): void => {
  if (!('missing' in tools)) return it(name, async () => { await body(tools); }, PATIENCE_MS);
  const notes = environment.TWINYARD_ENGINE_SKIPS;
  if (!notes) return it(name, () => { throw new Error(tools.missing); });
  noteSkip({ test: `${suite} ${name}`, reason: tools.missing }, notes);
  return it.skip(name, () => undefined);
};
