import type { ScriptPlace } from '../script';
import type { SandboxCall } from './sandbox';

export const PRELUDE = 'prelude.js';
/** What the engine calls the script itself, where nobody has named it. */
const SCRIPT = 'script.js';
/** Before the name of what may not be imported: the engine takes no refusal before it asks for the source. */
const NOWHERE = '?';

/** What the modules of a run are called, and which may import which. */
export class ModuleNames {
  readonly own: string;
  /** Of the script and what it imports, long ones first: one may be the end of another. */
  private readonly ofScript: readonly string[];

  constructor(private readonly call: Pick<SandboxCall, 'name' | 'modules' | 'prelude'>) {
    this.own = call.name ?? SCRIPT;
    this.ofScript = [this.own, ...Object.keys(call.modules ?? {})].sort((one, other) => other.length - one.length);
  }

  /** The script and what it was given import each other, the prelude its own: nobody gets hold of the other side's, loaded as it may be. */
  resolve(from: string, wanted: string): string {
    const isThere = this.isOfPrelude(from) ? this.isOfPrelude(wanted) : this.ofScript.includes(wanted);
    return isThere ? wanted : NOWHERE + wanted;
  }

  source(name: string): string | { readonly error: Error } {
    if (name.startsWith(NOWHERE)) return { error: new Error(`There is no module ${JSON.stringify(name.slice(NOWHERE.length, 200))} that the script could import`) };
    const sources = this.isOfPrelude(name) ? this.call.prelude?.modules : this.call.modules;
    return String(sources?.[name] ?? '');
  }

  /** The first line of a stack that is in the script, or in what it imports. */
  placeIn(stack: string): ScriptPlace | undefined {
    for (const frame of stack.split('\n')) {
      const [, before = '', line, column] = /^(.*):(\d+):(\d+)\)?$/.exec(frame.trim()) ?? [];
      const module = line === undefined ? undefined : this.ofScript.find((name) => before.endsWith(` ${name}`) || before.endsWith(`(${name}`));
      if (module !== undefined) return { ...(module !== this.own && { module }), line: Number(line), column: Number(column) };
    }
    return undefined;
  }

  private isOfPrelude(name: string): boolean {
    return name === PRELUDE || Object.hasOwn(this.call.prelude?.modules ?? {}, name);
  }
}
