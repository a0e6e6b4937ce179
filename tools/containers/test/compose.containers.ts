import { mkdtempSync, openAsBlob, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { repositoryRoot } from '../../checks/repository/repository';
import { IMAGES } from '../../images/image';
import { sampleBuilding } from '../../sample/sample-building';
import { makeProject, type Project } from '../../tour/steps/project';
import { runTour } from '../../tour/tour';
import { TourLog } from '../../tour/tour-log';
import type { TourOptions } from '../../tour/tour-options';
import { ComposeProject, type Container } from '../compose-project';
import { Daemon } from '../daemon';
import { Docker } from '../docker';
import { makeAllImages } from '../images/all-images';
import { BASE_IMAGE } from '../images/base-image';
import { canMakeImages, containersFolder, installPrograms } from '../programs';
import { makeRecords, uploadFile } from './kept-records';
import { MemoryPeaks } from './memory-peaks';
import { SmallWrites } from './small-writes';

const root = repositoryRoot();
const MINUTES = 60_000;
const MB = 1024 ** 2;
/** `docker-compose.yml`: whose image writes its configuration beside its programs. */
const WRITES_BESIDE_ITSELF = 'kafka';

(canMakeImages(root) ? describe : describe.skip)('the platform in containers', () => {
  let daemon: Daemon;
  let docker: Docker;
  let platform: ComposeProject;
  let options: TourOptions;
  let project: Project;
  let folder: string;
  const said: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'twinyard-containers-'));
    const note = (line: string) => void said.push(line);
    const programs = await timed('programs', () => installPrograms(root, note));
    const home = containersFolder(programs);
    daemon = await Daemon.start(home);
    docker = new Docker(home, programs);
    await timed('images', () => makeAllImages(docker, { root, programs }, note));
    platform = await ComposeProject.prepare(docker, root, process.env.MONGO_URL);
    await timed('up', () => platform.up());
    options = {
      baseUrl: platform.baseUrl, email: 'admin@example.com', password: await platform.adminPassword(),
      model: join(folder, 'model.ifc'), readings: join(root, 'tools/sample/sample-readings.csv'), print: note,
    };
    writeFileSync(options.model, sampleBuilding({ terrainSide: 270 }));
    project = await makeProject(options, new TourLog(note));
  }, 20 * MINUTES);

  afterAll(async () => {
    await platform?.remove();
    await daemon?.stop();
    rmSync(folder, { recursive: true, force: true });
    process.stdout.write(`${said.join('\n')}\n`);
  }, 3 * MINUTES);

  async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
    const began = Date.now();
    const value = await work();
    said.push(`${what}: ${((Date.now() - began) / 1_000).toFixed(0)} s`);
    return value;
  }

  const running = async () => (await platform.containers()).filter(({ State }) => State === 'running');
  /** One-shot containers end, all others run and are well. */
  const isWhole = async () => {
    const containers = await platform.containers();
    const unwell = containers.filter(({ State, Health, ExitCode }) => (State === 'running' ? Health !== 'healthy' : ExitCode !== 0));
    expect(unwell.map(({ Service, State, Health, ExitCode }) => [Service, State, Health, ExitCode])).toEqual([]);
    expect(containers.filter(({ State }) => State === 'running')).toHaveLength(IMAGES.length + 5);
  };
  const mails = async () => ((await (await fetch(platform.mailsUrl)).json()) as { total: number }).total;

  it('does the main job on a model of 4 MB beside an upload of 700 MB, and takes no more than 0.8 of the memory of any container', async () => {
    const large = join(folder, 'large.bin');
    writeFileSync(large, '');
    truncateSync(large, 700 * MB);
    const peaks = new MemoryPeaks(await running());
    const work = Promise.all([
      timed('upload of 700 MB', async () => uploadFile(project, 'large.bin', await openAsBlob(large))),
      timed('main job', () => runTour(options)),
    ]);
    const [uploaded, report] = await work.finally(() => peaks.stop());
    expect(uploaded['_fileVersion']).toMatchObject({ _fileSize: 700 * MB });
    expect(report.files.model.size).toBeGreaterThan(4 * MB);
    const shares = peaks.all.map(({ service, bytes, limit }) => ({ service, share: bytes / limit, line: `${service}: ${(bytes / MB).toFixed(0)} of ${(limit / MB).toFixed(0)} MB` }));
    said.push(...shares.map(({ line }) => line));
    expect(shares.filter(({ share }) => share > 0.8 || share === 0)).toEqual([]);
    expect(await mails()).toBeGreaterThan(0);
  }, 10 * MINUTES);

  it('has images of at most 110 MB above the one that they stand on', async () => {
    const base = (await docker.image(BASE_IMAGE))?.size ?? 0;
    const sizes = await Promise.all(IMAGES.map(async (image) => [image, Math.round((((await docker.image(`twinyard/${image}:dev`))?.size ?? Infinity) - base) / 1e6)] as const));
    said.push(`images, MB above ${Math.round(base / 1e6)}: ${sizes.map(([image, size]) => `${image} ${size}`).join(', ')}`);
    expect(sizes.filter(([, size]) => size > 110)).toEqual([]);
  });

  it('has in the image of the gateway the guides too, which are Markdown', async () => {
    expect((await fetch(`${options.baseUrl}/guides/quickstart`)).status).toBe(200);
  });

  it('runs without root, without capabilities, and writes nowhere but to its volumes and /tmp', async () => {
    for (const container of await running()) {
      const status = await platform.exec(container, 'cat', '/proc/1/status');
      const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
      expect([container.Service, Number.parseInt(field('Uid'), 10) > 0, BigInt(`0x${field('CapPrm')}`), BigInt(`0x${field('CapBnd')}`), field('NoNewPrivs')]).toEqual([container.Service, true, 0n, 0n, '1']);
      if (container.Service !== WRITES_BESIDE_ITSELF) await expect(platform.exec(container, 'sh', '-c', 'echo > /usr/probe')).rejects.toThrow('Read-only file system');
    }
  });

  it('comes back whole after a restart of everything', async () => {
    const areKept = await makeRecords(project, options.readings);
    await timed('restart', async () => {
      await platform.restart();
      await eventually(isWhole, { timeoutMs: 3 * MINUTES, everyMs: 500 });
    });
    await areKept();
  }, 5 * MINUTES);

  it('comes back after kill -9 of each service, and has what it had said that it has', async () => {
    const areKept = await makeRecords(project, options.readings);
    const own = (await running()).filter(({ Service }) => (IMAGES as readonly string[]).includes(Service));
    for (const some of [own.slice(0, 4), own.slice(4)]) await timed(`kill -9 of ${some.map(({ Service }) => Service).join(', ')}`, () => killAll(some));
    await areKept();
  }, 5 * MINUTES);

  async function killAll(some: readonly Container[]): Promise<void> {
    const killed = await Promise.all(some.map((container) => platform.processOf(container)));
    killed.forEach((pid) => process.kill(pid, 'SIGKILL'));
    await eventually(async () => {
      const processes = await Promise.all(some.map((container) => platform.processOf(container)));
      expect(processes.filter((pid) => pid === 0 || killed.includes(pid))).toEqual([]);
      const unwell = (await platform.containers()).filter(({ ID, Health }) => Health !== 'healthy' && some.some((one) => one.ID === ID));
      expect(unwell.map(({ Service }) => Service)).toEqual([]);
    }, { timeoutMs: 2 * MINUTES, everyMs: 500 });
  }

  it('keeps records, files and mails over down and up', async () => {
    const areKept = await makeRecords(project, options.readings);
    const before = await mails();
    await timed('down', () => platform.down());
    await timed('up again', () => platform.up());
    await isWhole();
    await areKept();
    expect(await mails()).toBeGreaterThanOrEqual(before);
  }, 5 * MINUTES);

  it('loses no request while one of two of each service is stopped', async () => {
    await timed('two of each', () => platform.up(Object.fromEntries(SERVICES.map((service) => [service, 2]))));
    const writes = new SmallWrites(project);
    await timed('stops', async () => {
      for (const service of SERVICES) {
        const [one] = (await running()).filter(({ Service }) => Service === service);
        if (one !== undefined) await platform.stop(one);
      }
    });
    const counts = await writes.stop();
    said.push(`answered: ${JSON.stringify(counts)}`);
    expect(writes.failures).toEqual([]);
    expect(SERVICES.filter((service) => (counts[service] ?? 0) < 20)).toEqual([]);
  }, 5 * MINUTES);
});
