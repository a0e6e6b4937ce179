import type { Writable } from 'node:stream';
import { REQUEST_LINE } from '@twinyard/service-kit/process';
import type { LogFile } from './log-file';
import { formatLine, parseLine } from './log-format';

type Write = (text: string) => void;

/**
 * Writes to an output whose reader may go away, as `npm start | head` has it. What is said then is lost; were it a failure, to say so
 * would be the next one, and the runner would do nothing else any more.
 */
export function writerTo(output: Writable): Write {
  output.on('error', () => undefined);
  return (text) => void output.write(text);
}

/** How the line of a request ends: there is one for each, and a terminal is for people. */
const OF_REQUEST = `"msg":"${REQUEST_LINE}"}`;

/** The one log of everything that runs: each line says when, who, how bad, what. All lines are kept in a file; those of requests are there alone. */
export class PlatformLog {
  private file: LogFile | undefined;

  constructor(private readonly write: Write, private readonly colour: boolean) {}

  /** From now on, every line. */
  keepIn(file: LogFile): void {
    this.file = file;
  }

  info(message: string, fields: Record<string, unknown> = {}): void {
    this.say('platform', 'info', message, fields);
  }

  warn(message: string, fields: Record<string, unknown> = {}): void {
    this.say('platform', 'warn', message, fields);
  }

  error(message: string, fields: Record<string, unknown> = {}): void {
    this.say('platform', 'error', message, fields);
  }

  /** A line that a process printed; `level` is for one that does not say its own. */
  line(name: string, text: string, level = 'info'): void {
    if (text.trim() === '') return;
    const isRecord = text.startsWith('{');
    this.file?.write(isRecord ? text : recordOf(name, level, text));
    if (isRecord && text.endsWith(OF_REQUEST)) return;
    this.write(`${formatLine(parseLine(name, text, { level, time: new Date() }), this.colour)}\n`);
  }

  /** Text for people, as it is. */
  plain(text: string): void {
    this.write(`${text}\n`);
  }

  say(name: string, level: string, message: string, fields: Record<string, unknown>): void {
    this.file?.write(recordOf(name, level, message, fields));
    this.write(`${formatLine({ time: new Date(), name, level, message, fields }, this.colour)}\n`);
  }
}

const recordOf = (service: string, level: string, msg: string, fields: Record<string, unknown> = {}) =>
  JSON.stringify({ level, time: new Date().toISOString(), service, ...fields, msg });
