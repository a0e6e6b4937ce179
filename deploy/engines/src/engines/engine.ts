import type { PackageName } from '../packages/catalogue';

export type EngineName = 'kafka' | 'versitygw' | 'minio' | 'mongo' | 'postgres';

/** What an engine is started with, the same over restarts. */
export interface EngineHome {
  /** Its own folder: data and log. */
  readonly folder: string;
  readonly port: number;
  /** Made at its first start, for engines that want a password. */
  readonly secret: string;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Engine {
  /** None: npm has installed it. */
  readonly package?: PackageName;
  /** How to run it, after whatever its folder needs first. `installed` is the package's folder. */
  command(home: EngineHome, installed: string): Promise<Command>;
  isHealthy(home: EngineHome): Promise<boolean>;
  /** What a service needs to be told. */
  settings(home: EngineHome): Record<string, string>;
  /** The process that a kill is for, where it is not the one that was started. */
  serverPid?(home: EngineHome): number | undefined;
}
