export interface CommandEnd {
  /** Printed behind the reason of a failure. */
  readonly usage: string;
  /** Exit code of a failure; 1 by default. */
  readonly failed?: number;
}

/** The whole process is this command: it ends with the code that the command answers, or says why it could not and how it is called. */
export function endWith(command: () => Promise<number>, { usage, failed = 1 }: CommandEnd): void {
  command().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
      process.exitCode = failed;
    },
  );
}

/** To the standard output. */
export const printLine = (line: string): void => void process.stdout.write(`${line}\n`);
