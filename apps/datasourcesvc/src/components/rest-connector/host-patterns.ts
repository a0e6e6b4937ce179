/** A name or a number with `*` for any run of characters, and perhaps a port; names in ASCII (`xn--…`). */
const PATTERN = /^([a-z0-9_.*-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?$/;
const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

const patternsIn = (text: string): string[] => text.toLowerCase().split(/[\s,]+/).filter((pattern) => pattern !== '');

/** Whether a setting is a list of patterns, separated by commas or spaces. */
export const areHostPatterns = (text: string): boolean => patternsIn(text).every((pattern) => PATTERN.test(pattern));

interface HostPattern {
  readonly name: RegExp;
  /** Any, where it is missing. */
  readonly port: string | undefined;
}

/** The hosts that may be called; none of an empty list. */
export class HostPatterns {
  private readonly patterns: readonly HostPattern[];

  constructor(text: string) {
    this.patterns = patternsIn(text).map(parsePattern);
  }

  get isEmpty(): boolean {
    return this.patterns.length === 0;
  }

  /** By the host as it is called: `URL` has lower-cased it, and made one form of every way to write a number. */
  allows({ hostname, port, protocol }: URL): boolean {
    const host = hostname.replace(/\.$/, '');
    return this.patterns.some((pattern) => pattern.name.test(host) && (pattern.port === undefined || pattern.port === (port || PORTS[protocol])));
  }
}

function parsePattern(text: string): HostPattern {
  const [, name, port] = PATTERN.exec(text) ?? [];
  if (name === undefined) throw new Error(`${text} is no pattern of hosts`);
  const written = name.split(/\*+/).map((part) => part.replace(/[.[\]]/g, '\\$&')).join('.*');
  return { name: new RegExp(`^${written}$`), port };
}
