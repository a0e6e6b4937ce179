import { endWithParent } from './end-with-parent';
import { offerMemory } from './offer-memory';

/** Makes this process one that only whoever started it ends: also when a signal goes to all of a group, and when its parent is gone. */
export function serveParent(): void {
  offerMemory();
  endWithParent();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(0));
}
