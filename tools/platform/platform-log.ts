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

/** What nobody has to do anything about. */
const QUIET = new Set(['trace', 'debug', 'info']);

export interface Showing {
  readonly colour: boolean;
  /** Whatever the processes say, but for requests. */
  readonly verbose: boolean;
}

/**
 * The one log of everything that runs: each line says when, who, how bad, what. All lines are kept in a file. What the runner does is shown, and of what the processes say
 * that alone which somebody should look at, unless all is asked for; requests are in the file alone.
 */
export class PlatformLog {
  private file: LogFile | undefined;

  constructor(private readonly write: Write, private readonly showing: Showing) {}

  /** From now on, every line. */
  keepIn(file: LogFile): void {
    this.file = file;
  }

  /** Kept, and shown to those who want to see all. */
  debug(message: string, fields: Record<string, unknown> = {}): void {
    this.say('platform', 'debug', message, fields);
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
    const line = parseLine(name, text, { level, time: new Date() });
    if (this.showing.verbose || !QUIET.has(line.level)) this.write(`${formatLine(line, this.showing.colour)}\n`);
  }

  /** Text for people, as it is. */
  plain(text: string): void {
    this.write(`${text}\n`);
  }

  say(name: string, level: string, message: string, fields: Record<string, unknown>): void {
    this.file?.write(recordOf(name, level, message, fields));
    if (this.showing.verbose || level !== 'debug') this.write(`${formatLine({ time: new Date(), name, level, message, fields }, this.showing.colour)}\n`);
  }
}

const recordOf = (service: string, level: string, msg: string, fields: Record<string, unknown> = {}) =>
  JSON.stringify({ level, time: new Date().toISOString(), service, ...fields, msg });
