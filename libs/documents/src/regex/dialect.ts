/** How an engine writes what every pattern is made of. Letters and digits stand for themselves everywhere. */
export interface RegexDialect {
  readonly character: (code: number) => string;
  readonly anything: string;
  readonly nothing: string;
  /** Of the whole text, whatever the flags. */
  readonly start: string;
  readonly end: string;
  /** The least code point that a text may hold. */
  readonly leastCode: number;
}

const hexadecimal = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

/** PostgreSQL's ARE with `flag "s"`, in which `.` is anything. Its texts hold no NUL. */
export const POSTGRES_REGEX: RegexDialect = {
  character: (code) => (code > 0xffff ? `\\U${hexadecimal(code, 8)}` : `\\u${hexadecimal(code, 4)}`),
  anything: '.',
  nothing: '(?!)',
  start: '^',
  end: '$',
  leastCode: 1,
};

/** PCRE2 in UTF mode, which MongoDB has. `$` would also match before a line end at the end of the text. */
export const PCRE_REGEX: RegexDialect = {
  character: (code) => `\\x{${code.toString(16)}}`,
  anything: '[\\x{0}-\\x{10ffff}]',
  nothing: '(?!)',
  start: '\\A',
  end: '\\z',
  leastCode: 0,
};
