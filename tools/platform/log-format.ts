const LEVEL_COLOURS: Readonly<Record<string, number>> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 };
const NAME_COLOURS = [36, 35, 34, 33, 32, 96, 95, 94];
const NAME_WIDTH = 15;
/** Shown in a place of their own. */
const PLACED = new Set(['level', 'time', 'service', 'msg', 'err', 'pid', 'hostname']);

export interface LogLine {
  readonly time: Date;
  readonly name: string;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly stack?: string;
}

/** One line of a service: JSON as pino writes it, or whatever else a process prints. */
export function parseLine(name: string, text: string, otherwise: Pick<LogLine, 'level' | 'time'>): LogLine {
  const record = parseRecord(text);
  if (!record) return { ...otherwise, name, message: text, fields: {} };
  const stack = stackOf(record.err);
  return {
    time: typeof record.time === 'string' ? new Date(record.time) : otherwise.time,
    name,
    level: typeof record.level === 'string' ? record.level : otherwise.level,
    message: String(record.msg ?? ''),
    fields: Object.fromEntries(Object.entries(record).filter(([key]) => !PLACED.has(key))),
    ...(stack !== undefined && { stack }),
  };
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const record = JSON.parse(text) as Record<string, unknown>;
    return 'level' in record || 'msg' in record ? record : undefined;
  } catch {
    return undefined;
  }
}

function stackOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { stack, message } = error as { stack?: unknown; message?: unknown };
  return String(stack ?? message ?? JSON.stringify(error));
}

/** `12:00:01.123 itemsvc         info  message key=value`, the stack of an error indented below. */
export function formatLine(line: LogLine, colour: boolean): string {
  const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const time = Number.isNaN(line.time.getTime()) ? '--:--:--.---' : line.time.toISOString().slice(11, 23);
  const fields = Object.entries(line.fields).map(([key, value]) => ` ${paint(90, `${key}=`)}${formatValue(value)}`).join('');
  const stack = line.stack ? `\n${line.stack.split('\n').map((row) => `    ${row}`).join('\n')}` : '';
  const name = paint(nameColour(line.name), line.name.padEnd(NAME_WIDTH));
  return `${paint(90, time)} ${name} ${paint(LEVEL_COLOURS[line.level] ?? 0, line.level.padEnd(5))} ${line.message}${fields}${stack}`;
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(value);
}

function nameColour(name: string): number {
  const sum = [...name].reduce((total, character) => total + character.charCodeAt(0), 0);
  return NAME_COLOURS[sum % NAME_COLOURS.length] ?? 0;
}
