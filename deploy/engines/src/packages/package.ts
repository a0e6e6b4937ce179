export type Tool = 'java' | 'javac' | 'mvn' | 'go' | 'npm';

/** Something that is installed once into the cache, of one exact version. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** What else decides what is installed (a pom, a source): another content is another installation. */
  readonly sources: readonly string[];
  readonly installWith: readonly Tool[];
  readonly runWith: readonly Tool[];
  /** Fills the folder. Whatever it prints goes to the log. */
  install(folder: string, run: Run): void;
}

/** Runs a program to its end; throws with the last lines that it said. */
export type Run = (program: string, args: readonly string[], options?: RunOptions) => void;

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}
