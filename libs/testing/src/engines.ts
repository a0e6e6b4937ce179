import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export type EngineName = 'kafka' | 'versitygw' | 'minio' | 'mongo' | 'postgres';

export type EngineSettings = Readonly<Record<string, string>>;

/** Engines of one test, in a folder of their own. They end with `stop()`, and with the process that started them. */
export interface OwnEngines {
  /** Of all of them, for the services; of two S3 servers those of the first. Ports stay the same over kill and restart. */
  readonly settings: EngineSettings;
  settingsOf(name: EngineName): EngineSettings;
  /** `kill -9`; resolves when it is gone. */
  kill(name: EngineName): Promise<void>;
  /** On the same port, with the same data; resolves when it is healthy. */
  restart(name: EngineName): Promise<void>;
  /** Kills all and removes the folder. */
  stop(): Promise<void>;
}

/** What Jest's global setup tells its workers. */
export interface SharedEngines {
  readonly settings: Partial<Record<EngineName, EngineSettings>>;
  /** Why an engine is not there, by name. */
  readonly missing: Partial<Record<EngineName, string>>;
  /** Given from outside instead of started here: what a stand-in cannot do, they may. */
  readonly outside: readonly EngineName[];
}

export const SHARED_ENGINES = 'TWINYARD_SHARED_ENGINES';

export function sharedEngines(): SharedEngines {
  const told = process.env[SHARED_ENGINES];
  if (!told) throw new Error(`${SHARED_ENGINES} is missing: engine tests run with \`npm run test:engines\` (jest.engines.config.mjs).`);
  return JSON.parse(told) as SharedEngines;
}

/** The settings by which a service finds the run's engine. Of one that is missing: an address that nobody has, since its suites are skipped. */
export function engineSettings(name: EngineName): Record<string, string> {
  return { ...(sharedEngines().settings[name] ?? NOWHERE[name]) };
}

const NO_S3 = { S3_ENDPOINT: 'http://s3.invalid', S3_ACCESS_KEY: 'none', S3_SECRET_KEY: 'none', S3_REGION: 'us-east-1', S3_PATH_STYLE: 'true' };
const NOWHERE: Readonly<Record<EngineName, EngineSettings>> = {
  kafka: { KAFKA_BROKERS: 'kafka.invalid:9092' },
  versitygw: NO_S3,
  minio: NO_S3,
  mongo: { MONGO_URL: 'mongodb://mongo.invalid/none', MONGO_ALLOW_STANDALONE: 'true' },
  postgres: { POSTGRES_URL: 'postgresql://postgres.invalid/none' },
};

/** A suite that needs engines; skipped, by name, where one of them is missing. Its title begins `on kafka+mongo`. */
export function onEngine(names: EngineName | readonly EngineName[], suite: () => void): void {
  const needed = [names].flat();
  const { missing } = sharedEngines();
  const isThere = needed.every((name) => missing[name] === undefined);
  (isThere ? describe : describe.skip)(`on ${needed.join('+')}`, suite);
}

/** Starts engines of the test's own. Rejects when this machine cannot have one of them: ask inside `onEngine`. */
export async function ownEngines(names: readonly EngineName[]): Promise<OwnEngines> {
  const holder = await EngineHolder.start(names);
  const missing = Object.entries(holder.missing);
  if (missing.length > 0) {
    await holder.stop();
    throw new Error(missing.map(([name, reason]) => `${name}: ${reason}`).join('\n'));
  }
  return {
    settings: Object.assign({}, ...names.map((name) => holder.settings[name]).reverse()) as EngineSettings,
    settingsOf: (name) => holder.settings[name] ?? {},
    kill: (name) => holder.tell(`kill ${name}`),
    restart: (name) => holder.tell(`restart ${name}`),
    stop: () => holder.stop(),
  };
}

/** The program of an engine, for a test that starts it in a way of its own; `undefined` where it is not installed. */
export function enginePath(name: 'versitygw' | 'minio'): string | undefined {
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, 'path', name], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const PROGRAM = resolve(__dirname, '..', '..', '..', 'dist', 'deploy', 'engines', 'src', 'main.js');

type Answer = Record<string, unknown>;

/** The process that has started the engines and ends them when its standard input ends: with us, however we end. */
export class EngineHolder {
  readonly settings: Partial<Record<EngineName, EngineSettings>> = {};
  readonly missing: Partial<Record<EngineName, string>> = {};
  private readonly answers: AsyncIterator<string>;

  private constructor(private readonly child: ChildProcess) {
    if (!child.stdout) throw new Error('the holder of the engines has no output');
    child.stdin?.on('error', () => undefined); // it has ended; the missing answer says so
    this.answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  static async start(names: readonly EngineName[]): Promise<EngineHolder> {
    const folder = mkdtempSync(join(tmpdir(), 'twinyard-engines-'));
    const child = spawn(process.execPath, [PROGRAM, 'hold', '--folder', folder, ...names], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    const holder = new EngineHolder(child);
    try {
      Object.assign(holder, await holder.answer());
    } catch (error) {
      await holder.stop();
      throw error;
    }
    return holder;
  }

  async tell(line: string): Promise<void> {
    this.child.stdin?.write(`${line}\n`);
    await this.answer();
  }

  async stop(): Promise<void> {
    const ended = this.child.exitCode === null && this.child.signalCode === null ? once(this.child, 'exit') : undefined;
    this.child.stdin?.end();
    await ended;
  }

  private async answer(): Promise<Answer> {
    const { value, done } = await this.answers.next();
    if (done) throw new Error('the holder of the engines has ended: is dist/ built (node tools/build.mjs)?');
    const answer = JSON.parse(value as string) as Answer;
    if (typeof answer.error === 'string') throw new Error(answer.error);
    return answer;
  }
}
