import type { Logger } from './logger';

/** KafkaJS asks for no wait by a negative time, which Node sees to and, from 24 on, remarks on. */
const HARMLESS = new Set(['TimeoutNegativeWarning']);

/** What Node warns of is a line of the log like any other, in the place of text among the JSON on standard error. */
export function tellWarnings(logger: Logger): void {
  process.removeAllListeners('warning'); // Node's own, which prints it
  process.on('warning', (warning) => logger[HARMLESS.has(warning.name) ? 'debug' : 'warn']({ err: warning }, 'a warning of Node'));
}
