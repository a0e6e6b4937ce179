import { type ImageName, IMAGES } from '../images/image';
import type { Container, Manifest, Overlay, Workload } from './manifests';
import { workloadsOf } from './manifests';
import { networkFaults } from './network/network-faults';
import { podFaults, serviceFaults } from './pod-faults';
import { isImage, LAPTOP_MILLICORES, limitFaults, millicores } from './resources';
import { routeFaults } from './routes/route-faults';
import type { Secrets } from './secrets';
import { schemaOf, variableFaults, type Variables } from './variables';

export interface Deployment {
  readonly overlay: Overlay;
  readonly manifests: readonly Manifest[];
  /** What deploy/secrets makes; `undefined` where the engines are somebody else's, and with them the secrets. */
  readonly secrets?: Secrets;
}

/** What is wrong with a built overlay; each line says where. */
export async function overlayFaults(deployment: Deployment): Promise<string[]> {
  const { manifests, overlay } = deployment;
  const workloads = workloadsOf(manifests);
  const own = workloads.filter(isOwn);
  const variables = variablesByWorkload(deployment);
  const settings = await Promise.all(own.flatMap((workload) => containersOf(workload).map((container) => settingFaults(workload.name, container, deployment))));
  const limits = await Promise.all(own.map(({ name, pod }) => {
    const [container = { name, image: '' }] = pod.containers;
    return isImage(name) ? limitFaults(name, container.resources?.limits?.['memory'], variablesOf(container, manifests)) : [];
  }));
  const faults = [
    ...IMAGES.filter((image) => !own.some(({ name }) => name === image)).map((image) => `there is no ${image}`),
    ...manifests.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => `the secret ${metadata.name} stands in the repository`),
    ...settings.flat(),
    ...limits.flat(),
    ...(overlay === 'dev' ? laptopFaults(workloads) : []),
    ...own.flatMap((workload) => serviceFaults(workload, manifests, overlay === 'prod')),
    ...workloads.flatMap(podFaults),
    ...(await networkFaults(manifests, workloads, variables)),
    ...routeFaults(manifests, variables.get('gateway')?.['BASE_URL'] ?? '', overlay === 'prod'),
  ];
  return faults.map((fault) => `${overlay}: ${fault}`);
}

/** All of it, with an update under way, has to fit on a laptop. */
function laptopFaults(workloads: readonly Workload[]): string[] {
  const asked = workloads.filter(({ kind }) => kind !== 'Job').map((workload) => Math.max(...[workload.pod.containers, workload.pod.initContainers ?? []].map(sumOf)));
  const sum = asked.reduce((total, one) => total + one, 0);
  return sum <= LAPTOP_MILLICORES ? [] : [`asks for ${sum} m of processor, more than ${LAPTOP_MILLICORES}`];
}

const sumOf = (containers: readonly Container[]) => containers.reduce((sum, { resources }) => sum + millicores(resources?.requests?.['cpu']), 0);

const isOwn = ({ name }: Workload) => isImage(name);
const containersOf = ({ pod }: Workload) => [...(pod.initContainers ?? []), ...pod.containers];

async function settingFaults(name: string, container: Container, { manifests, secrets }: Deployment): Promise<string[]> {
  const who = `${name}/${container.name}`;
  const references = (container.env ?? []).flatMap(({ name: variable, valueFrom }) => (valueFrom?.secretKeyRef ? [{ variable, ...valueFrom.secretKeyRef }] : []));
  const unmade = secrets === undefined ? [] : references.filter(({ name: secret, key, optional }) => optional !== true && secrets[secret]?.[key] === undefined);
  return [
    ...variableFaults(who, variablesOf(container, manifests), await schemaOf(name as ImageName)),
    ...references.filter(({ variable, key }) => variable !== key).map(({ variable, key }) => `${who}: ${variable} is taken from ${key}`),
    ...references.filter(({ name: secret }) => secret !== name && secret !== 'kafka').map(({ variable, name: secret }) => `${who}: ${variable} is a secret of ${secret}`),
    ...unmade.map(({ name: secret, key }) => `${who}: nobody makes ${secret}/${key}`),
  ];
}

/** What a container is given, as Kubernetes puts it together: later sources win, single variables over all of them. */
export function variablesOf(container: Container, manifests: readonly Manifest[]): Variables {
  const maps = (container.envFrom ?? []).map(({ configMapRef }) => manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef?.name)?.data ?? {});
  const single = (container.env ?? []).map(({ name, value }) => [name, value] as const);
  return Object.assign({}, ...maps, Object.fromEntries(single)) as Variables;
}

/** Where a secret is optional and nobody makes it, the value below it holds. */
export function variablesByWorkload({ manifests, secrets }: Deployment): ReadonlyMap<string, Variables> {
  return new Map(workloadsOf(manifests).filter(isOwn).map(({ name, pod }) => {
    const container = pod.containers[0] ?? { name: '', image: '' };
    const { env: _env, ...below } = container;
    const settled = Object.entries(variablesOf(container, manifests)).map(([variable, value]) => [variable, value ?? secrets?.[name]?.[variable] ?? variablesOf(below, manifests)[variable]]);
    return [name, Object.fromEntries(settled) as Variables];
  }));
}
