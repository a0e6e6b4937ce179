import { init, parse } from 'es-module-lexer';

/** An import of another Script item. */
export interface ScriptImport {
  readonly userType: string;
  /** Counts from 1. */
  readonly line: number;
  /** By `import(…)`: it may never be asked for. */
  readonly isDynamic: boolean;
}

export const SCRIPT_SCHEME = 'script:';

/** Nothing for what is no module: whoever runs it says what is wrong with it. */
export async function importsOf(source: string): Promise<ScriptImport[]> {
  await init;
  try {
    const [imports] = parse(source);
    return imports.flatMap(({ n: name, ss: start, d: dynamic }) => (
      name?.startsWith(SCRIPT_SCHEME) ? [{ userType: name.slice(SCRIPT_SCHEME.length), line: source.slice(0, start).split('\n').length, isDynamic: dynamic >= 0 }] : []));
  } catch {
    return [];
  }
}
