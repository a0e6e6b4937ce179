import { endWithParent } from './end-with-parent';
import { offerMemory } from './memory';

/** For a child that works at what may cost it its life: it ends with its parent and when that says so, and by nobody else's signal. */
export function beChild(): void {
  offerMemory();
  endWithParent();
  // It is ended by whoever started it, also when a signal goes to all of a group.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit(0));
}
