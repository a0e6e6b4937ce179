import { setTimeout as delay } from 'node:timers/promises';
import { isReady } from './gateway/service-readiness';
import type { PlatformLog } from './platform-log';
import type { SupervisedProcess } from './supervised-process';

const ASK_EVERY_MS = 100;
/** Until the first word on what takes long. The next one, after half a minute, is the last before all is given up: a start is to take few lines. */
const SAY_AFTER_MS = 5_000;
const SAY_NEXT_TIMES = 6;
const READY_WITHIN_MS = 180_000;
/** One that dies this often without ever being ready will not start: wrong settings, most likely. */
const HOPELESS_DEATHS = 5;

/** Waits until every process takes requests; says which one does, and what is still being waited for. */
export async function waitUntilReady(processes: readonly SupervisedProcess[], log: PlatformLog, stopped: AbortSignal): Promise<void> {
  const began = Date.now();
  let waiting = [...processes];
  let sayAt = began + SAY_AFTER_MS;
  while (waiting.length > 0) {
    stopped.throwIfAborted();
    const ready = await Promise.all(waiting.map((child) => isReady(child.spec.readyUrl)));
    waiting.filter((_, index) => ready[index]).forEach((child) => log.debug('is ready', { process: child.spec.name, after: seconds(began) }));
    waiting = waiting.filter((_, index) => !ready[index]);
    giveUpOn(waiting, began);
    if (waiting.length > 0 && Date.now() > sayAt) {
      log.info('still starting', { waitingFor: names(waiting), after: seconds(began) });
      sayAt = began + SAY_NEXT_TIMES * (sayAt - began);
    }
    if (waiting.length > 0) await delay(ASK_EVERY_MS);
  }
}

function giveUpOn(waiting: readonly SupervisedProcess[], began: number): void {
  const hopeless = waiting.find((child) => child.deaths >= HOPELESS_DEATHS);
  if (hopeless) throw new Error(`${hopeless.spec.name} does not start: it ended ${hopeless.deaths} times; the reason stands in its lines above.`);
  const isLate = waiting.length > 0 && Date.now() - began > READY_WITHIN_MS;
  if (isLate) throw new Error(`Not ready after ${READY_WITHIN_MS / 1000} s: ${names(waiting)}`);
}

const names = (processes: readonly SupervisedProcess[]) => processes.map((child) => child.spec.name).join(',');
const seconds = (began: number) => `${((Date.now() - began) / 1000).toFixed(1)}s`;
