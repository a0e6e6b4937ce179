import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { parseAllDocuments } from 'yaml';
import { repositoryRoot } from '../../checks/repository/repository';
import { makeRecords } from '../../containers/test/kept-records';
import { SmallWrites } from '../../containers/test/small-writes';
import { IMAGES } from '../../images/image';
import { makeProject, type Project } from '../../tour/steps/project';
import { runTour } from '../../tour/tour';
import { TourLog } from '../../tour/tour-log';
import type { TourOptions } from '../../tour/tour-options';
import { ClusterPlatform, NAMESPACE, type Pod } from '../cluster-platform';
import { ClusterNode } from '../node/cluster-node';
import { type ClusterParts, clusterParts, PARTS_VARIABLE } from '../parts';
import { TestedPage } from '../tested-page';
import { WayIn } from '../way-in';

const root = repositoryRoot();
const MINUTES = 60_000;
/** What a pod may take until it is ready on a busy machine, its engine too. */
const PATIENCE = { timeoutMs: 5 * MINUTES, everyMs: 500 };
const ENGINES = ['postgres', 'mongo', 'kafka', 's3', 'mailpit'];

(process.env[PARTS_VARIABLE] ? describe : describe.skip)('the platform on a Kubernetes node', () => {
  const page = new TestedPage();
  const silent = () => undefined;
  let parts: ClusterParts;
  let node: ClusterNode;
  let platform: ClusterPlatform;
  let wayIn: WayIn;
  let options: TourOptions;
  let project: Project;

  beforeAll(async () => {
    parts = clusterParts();
    node = await page.timed('A node of its own, with all images', () => ClusterNode.start(parts));
    await page.timed('Namespace, secrets and overlay applied, until all is ready', async () => {
      platform = await ClusterPlatform.deploy(node, root);
      await untilWhole();
    });
    wayIn = await WayIn.open(node.kubectl, NAMESPACE);
    options = {
      baseUrl: 'http://twinyard.localhost', email: 'admin@example.com', password: await platform.adminPassword(),
      model: join(root, 'tools/sample/sample-building.ifc'), readings: join(root, 'tools/sample/sample-readings.csv'), print: silent,
    };
    project = await makeProject(options, new TourLog(silent));
  }, 15 * MINUTES);

  afterAll(async () => {
    wayIn?.close();
    await node?.stop();
  }, 3 * MINUTES);

  const untilWhole = () => eventually(async () => expect(await platform.unready()).toEqual([]), PATIENCE);
  const restarts = async () => Object.fromEntries((await platform.pods()).filter(isOurs).map(({ metadata, status }) => [metadata.name, status.containerStatuses?.[0]?.restartCount]));
  const isOurs = ({ metadata }: Pod) => (IMAGES as readonly string[]).includes(metadata.labels['app.kubernetes.io/name'] ?? '');
  /** The one pod of an engine, or of a service that there is one of. */
  const podOf = async (name: string): Promise<Pod> => {
    const [pod] = await platform.pods(name);
    if (pod === undefined) throw new Error(`${name} has no pod`);
    return pod;
  };

  /** Resolves when another stands in its place, and everything else is ready too. */
  async function replace(name: string): Promise<void> {
    const gone = await podOf(name);
    await platform.deletePod(gone);
    await eventually(async () => {
      const { metadata, status } = await podOf(name);
      expect([metadata.uid === gone.metadata.uid, status.containerStatuses?.[0]?.ready]).toEqual([false, true]);
    }, PATIENCE);
    await untilWhole();
  }

  /** Small writes go on during the work, past the gateway and through it, and none may be refused. */
  async function underWrites(what: string, work: () => Promise<void>): Promise<void> {
    const ways = { 'with small writes beside it': options.baseUrl, 'and through the gateway': `${options.baseUrl}:${wayIn.gatewayPort}` };
    const all = Object.entries(ways).map(([way, baseUrl]) => ({ way, writes: new SmallWrites(project, baseUrl) }));
    const stop = () => Promise.all(all.map(({ writes }) => writes.stop()));
    await page.timed(what, () => work().finally(stop));
    for (const { way, writes } of all) {
      const counts = await writes.stop();
      expect({ way, failures: writes.failures }).toEqual({ way, failures: [] });
      expect(SERVICES.filter((service) => (counts[service] ?? 0) < 20)).toEqual([]);
      page.add(`…${way}`, `0 of ${Object.values(counts).reduce((sum, count) => sum + count, 0)} refused`);
    }
  }

  it('does the main job', async () => {
    const report = await page.timed('The main job', () => runTour(options));
    expect(report.mails).toBeGreaterThan(0);
  }, 10 * MINUTES);

  it('loses no request while each service is scaled from one to three and back', async () => {
    await underWrites('Each service and the gateway scaled from one to three and back', async () => {
      for (const name of IMAGES) {
        await platform.scale(name, 3);
        expect(await platform.pods(name)).toHaveLength(3);
        await platform.scale(name, 1);
      }
    });
  }, 15 * MINUTES);

  it('loses no request while each service is restarted, one after the other', async () => {
    await underWrites('Each service and the gateway restarted by a rollout', async () => {
      for (const name of IMAGES) await platform.restart(name);
    });
  }, 15 * MINUTES);

  it('comes back when the pod of each service is deleted', async () => {
    await page.timed('The pod of each service deleted in turn, until all is ready', async () => {
      for (const name of IMAGES) await replace(name);
    });
    await runTour(options);
  }, 15 * MINUTES);

  it('outlives the loss of each engine without a restart of a service, and keeps what it has', async () => {
    const before = await restarts();
    const areKept = [await makeRecords(project, options.readings)];
    for (const engine of ENGINES) {
      await page.timed(`The pod of ${engine} deleted, until all is ready, and records are read and written`, async () => {
        await replace(engine);
        await eventually(async () => void areKept.push(await makeRecords(project, options.readings)), PATIENCE);
      });
    }
    for (const check of areKept) await check();
    expect(await restarts()).toEqual(before);
    await runTour(options);
  }, 20 * MINUTES);

  it('lets one pod of two go at a time while a node is drained', async () => {
    const manifests = parseAllDocuments(await node.kubectl.run('kustomize', join(root, 'k8s/overlays/prod'))).map((document) => document.toJS() as { kind: string });
    await platform.apply(manifests.filter(({ kind }) => kind === 'PodDisruptionBudget'));
    for (const name of IMAGES) {
      await platform.scale(name, 2);
      const [one, other] = (await platform.pods(name)) as [Pod, Pod];
      await eventually(() => platform.evict(one), PATIENCE); // the budget knows of the pods a little later than they are ready
      await expect(platform.evict(other)).rejects.toThrow('disruption budget');
      await untilWhole();
      await platform.scale(name, 1);
    }
    page.add('Of two of each service, both evicted by the budgets of `prod`', 'the first goes, the second is refused until the first is back');
  }, 15 * MINUTES);

  it('takes the overlay prod, as the real API server reads it', async () => {
    await node.kubectl.run('apply', '--server-side', '--filename', parts.gatewayApi);
    expect(readdirSync(parts.gatewayApi).length).toBeGreaterThan(0);
    await node.kubectl.run('create', 'namespace', 'twinyard-gateway');
    const answers = await Promise.all(['overlays/prod', 'cluster-gateway'].map((kustomization) => node.kubectl.run('apply', '--dry-run=server', '--kustomize', join(root, 'k8s', kustomization))));
    const lines = answers.flatMap((answer) => answer.trim().split('\n'));
    expect(lines.filter((line) => !line.endsWith('(server dry run)'))).toEqual([]);
    page.add('`overlays/prod` and `cluster-gateway` in a dry run of the API server', `${lines.length} objects taken`);
    page.write(root, parts.versions); // the last test: all of it was seen
  }, 5 * MINUTES);
});
