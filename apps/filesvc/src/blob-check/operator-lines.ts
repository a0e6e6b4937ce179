/** Lines of a command: JSON for programs, words for people. */
export function printer(isJson: boolean): (line: object) => void {
  return (line) => void process.stdout.write(`${isJson ? JSON.stringify(line) : inWords(line)}\n`);
}

const inWords = (line: object): string => Object.entries(line).map(([name, value]) => `${name}: ${textOf(value)}`).join(', ');

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null ? `(${inWords(value)})` : String(value);
}

const MEBIBYTE = 1024 ** 2;

/** `--rate <MiB a second>`. */
export function bytesPerSecondOf(rate: string | undefined): { readonly bytesPerSecond?: number } {
  if (rate === undefined) return {};
  const mebibytes = Number(rate);
  if (!(mebibytes > 0)) throw new Error('--rate: must be a number of MiB a second');
  return { bytesPerSecond: mebibytes * MEBIBYTE };
}
