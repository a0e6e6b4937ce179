import { ENGINE_NAMES, ENGINES } from './engines/catalogue';
import type { EngineName } from './engines/engine';
import { install, NotInstalled, requireInstalled } from './packages/install';
import { RunningEngine } from './running-engine';

export type Say = (line: string) => void;

/** Why an engine could not be had on this machine, by name. */
export type Missing = Partial<Record<EngineName, string>>;

/** Engines in one folder. */
export class EngineSet {
  /** With `say` it installs what is missing and tells of it; without, it takes what is there. */
  constructor(private readonly folder: string, private readonly say?: Say) {}

  engine(name: EngineName): RunningEngine {
    return new RunningEngine(name, this.folder);
  }

  /** Starts them; what this machine cannot have is told, not thrown. */
  async up(names: readonly EngineName[]): Promise<Missing> {
    const missing: Missing = {};
    const installed = new Map<EngineName, string>();
    for (const name of names) {
      try {
        installed.set(name, await this.installed(name));
      } catch (error) {
        if (!(error instanceof NotInstalled)) throw error;
        missing[name] = error.message;
      }
    }
    await this.startAll(installed);
    return missing;
  }

  async restart(name: EngineName): Promise<void> {
    const engine = this.engine(name);
    if (!engine.state) throw new Error(`${name} was never started in ${this.folder}`);
    await engine.stop();
    await engine.start(await this.installed(name), { samePort: true });
  }

  async down(): Promise<void> {
    await Promise.all(this.started().map((name) => this.engine(name).stop()));
  }

  /** For data that nobody wants any more. */
  async killAll(): Promise<void> {
    await Promise.all(this.started().map((name) => this.engine(name).kill()));
  }

  started(): EngineName[] {
    return ENGINE_NAMES.filter((name) => this.engine(name).state);
  }

  private async startAll(installed: ReadonlyMap<EngineName, string>): Promise<void> {
    const results = await Promise.allSettled([...installed].map(async ([name, folder]) => {
      const began = Date.now();
      const engine = this.engine(name);
      await engine.start(folder, { samePort: false });
      this.say?.(`${name} is healthy on port ${engine.state?.port} after ${((Date.now() - began) / 1_000).toFixed(1)} s`);
    }));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
    if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join('\n'));
  }

  private async installed(name: EngineName): Promise<string> {
    const { package: wanted } = ENGINES[name];
    if (wanted === undefined) return '';
    return this.say ? install(wanted, this.say) : requireInstalled(wanted);
  }
}
