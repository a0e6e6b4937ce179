import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { requireSameMajor } from '@twinyard/service-kit/process';
import { ServiceBalancer } from './balancer/service-balancer';
import type { PlatformSettings } from './config';
import { type DatabaseServer, OutsidePostgres } from './database-server';
import { createDatabases } from './databases';
import { lockDataFolder, requireUnlocked } from './data-folder-lock';
import { keepEnvironments } from './kept-environments';
import { openSecrets, type KeptSecrets } from './kept-secrets';
import { LogFile } from './log-file';
import { requireKnownData } from './newer-data';
import type { PlatformLog } from './platform-log';
import { chooseServicePorts, requireFree } from './ports';
import { databasesOf, processTable, type PlatformContext } from './process-table';
import { waitUntilReady } from './readiness';
import { SupervisedPostgres } from './supervised-postgres';
import { SupervisedProcess, type ProcessSpec } from './supervised-process';

/** Of the embedded server, for one process of each service: docs/operations/scaling.md has the sum. */
const CONNECTIONS = 150;

/** A line of a request is some 250 bytes: the last half a million of them are there. */
const LOG_TERMS = { maxBytes: 25 * 1024 * 1024, kept: 4 };

/** Which processes there are; the drills bring a table of their own. */
export type ProcessTable = (context: PlatformContext) => ProcessSpec[];

/** The whole platform on one machine: a lock on its folder, a database server, the services (each behind a balancer where it has replicas), the gateway. */
export class Platform {
  private readonly stopped = new AbortController();
  private readonly undo: (() => Promise<void> | void)[] = [];
  private processes: SupervisedProcess[] = [];
  private starting: Promise<void> = Promise.resolve();
  private stopping: Promise<void> | undefined;
  private secretsOfStart: KeptSecrets | undefined;

  constructor(private readonly settings: PlatformSettings, private readonly log: PlatformLog, private readonly table: ProcessTable = processTable) {}

  get secrets(): KeptSecrets {
    if (!this.secretsOfStart) throw new Error('The platform has not been started.');
    return this.secretsOfStart;
  }

  /** Resolves when everything is ready. When that fails, what had been started is stopped. */
  async start(): Promise<void> {
    try {
      this.starting = this.startAll();
      await this.starting;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** In the reverse order of the start: callers first, the database last. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  processId(name: string): number | undefined {
    return this.processes.find((child) => child.spec.name === name)?.pid;
  }

  private get clusterFolder(): string {
    return join(this.settings.dataDir, 'postgres');
  }

  private async startAll(): Promise<void> {
    const { settings } = this;
    requireUnlocked(settings.dataDir); // a second start finds its port taken too, and that is not what its user has to hear
    await requireFree('PORT', settings.port, settings.host);
    if (settings.engines.postgresUrl === undefined) requireSameMajor(this.clusterFolder);
    this.undo.push(lockDataFolder(settings.dataDir));
    this.keepLog();
    const postgres = await this.openDatabases();
    this.undo.push(() => postgres.stop());
    this.stopped.signal.throwIfAborted();
    for (const folder of ['blobs', 'mail']) mkdirSync(join(settings.dataDir, folder), { recursive: true });
    this.secretsOfStart = openSecrets(settings);
    const context = { settings, secrets: this.secrets, ...(await chooseServicePorts(settings.replicas)), databaseUrl: (name: string) => postgres.url(name) };
    if (settings.replicas > 1) await this.startBalancers(context);
    await this.startProcesses(context);
  }

  private keepLog(): void {
    const file = new LogFile(join(this.settings.dataDir, 'logs', 'platform.log'), LOG_TERMS);
    this.log.keepIn(file);
    this.undo.push(() => file.close());
  }

  private async openDatabases(): Promise<DatabaseServer> {
    const { settings, log } = this;
    const { postgresUrl, databasePrefix } = settings.engines;
    if (postgresUrl === undefined) return this.startPostgres();
    const outside = new OutsidePostgres(postgresUrl, databasePrefix);
    log.info('using the PostgreSQL of POSTGRES_URL', { host: new URL(postgresUrl).host, data: settings.dataDir });
    await outside.makeDatabases(databasesOf(settings));
    return outside;
  }

  private async startPostgres(): Promise<DatabaseServer> {
    const { settings, log } = this;
    log.info('starting PostgreSQL', { data: settings.dataDir });
    const postgres = await SupervisedPostgres.start({ folder: this.clusterFolder, port: settings.postgresPort, maxConnections: CONNECTIONS * settings.replicas }, log);
    try {
      await requireKnownData((name) => postgres.url(name), settings, log);
      await createDatabases(postgres.url('postgres'), databasesOf(settings));
      return postgres;
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  private async startBalancers({ ports, replicaPorts }: PlatformContext): Promise<void> {
    for (const service of SERVICES) {
      const balancer = await ServiceBalancer.start(ports[service], replicaPorts[service]);
      this.undo.push(() => balancer.stop());
    }
  }

  private async startProcesses(context: PlatformContext): Promise<void> {
    const specs = this.table(context);
    keepEnvironments(this.settings.dataDir, specs, this.settings.inherited);
    this.processes = specs.map((spec) => new SupervisedProcess(spec, this.log));
    this.undo.push(() => this.stopProcesses());
    this.log.debug('starting the services', { processes: this.processes.length });
    for (const child of this.processes) child.start();
    await waitUntilReady(this.processes, this.log, this.stopped.signal);
  }

  /** The gateway first: nothing new comes in while the services finish what they have. */
  /** For who will not wait for `stop`: what hangs would outlive the runner. The database ends by itself, in order. */
  killProcesses(): void {
    for (const child of this.processes) child.kill();
  }

  private async stopProcesses(): Promise<void> {
    const isGateway = (child: SupervisedProcess) => child.spec.name === 'gateway';
    await Promise.all(this.processes.filter(isGateway).map((child) => child.stop()));
    await Promise.all(this.processes.filter((child) => !isGateway(child)).map((child) => child.stop()));
  }

  private async stopAll(): Promise<void> {
    this.stopped.abort(new Error('stopped while it was starting'));
    await this.starting.catch(() => undefined); // what is half started cannot be stopped yet
    for (let step = this.undo.pop(); step; step = this.undo.pop()) await step();
  }
}
