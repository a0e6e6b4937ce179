import { formatLine, parseLine } from './log-format';

type Write = (text: string) => void;

/** The one log of everything that runs: each line says when, who, how bad, what. */
export class PlatformLog {
  constructor(private readonly write: Write, private readonly colour: boolean) {}

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
    if (text.trim() !== '') this.write(`${formatLine(parseLine(name, text, { level, time: new Date() }), this.colour)}\n`);
  }

  /** Text for people, as it is. */
  plain(text: string): void {
    this.write(`${text}\n`);
  }

  say(name: string, level: string, message: string, fields: Record<string, unknown>): void {
    this.write(`${formatLine({ time: new Date(), name, level, message, fields }, this.colour)}\n`);
  }
}
