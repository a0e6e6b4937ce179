import { type ImageName, IMAGES } from '../images/image';
import { addressesIn } from './network/addresses';
import { type Compose, type ComposeService, ownServices, variablesOf } from './compose';
import { isExactImage } from './exact-image';
import { limitFaults } from './resources';
import { brokenRules, type Rules } from './rules';
import type { Secrets } from './secrets';
import { schemaOf, variableFaults } from './variables';

/** ENV PORT of deploy/Dockerfile. */
const PORT = 3000;
/** Ports on which engines listen, by the settings that they are given. */
const LISTENING: Readonly<Record<string, (service: ComposeService) => string>> = {
  kafka: ({ environment }) => environment?.['KAFKA_ADVERTISED_LISTENERS'] ?? '',
  s3: ({ environment }) => environment?.['VGW_PORT'] ?? '',
  mailpit: () => ':1025',
  postgres: () => ':5432',
  mongo: () => ':27017',
};
const PUBLISHING = ['gateway', 'mailpit'];
/** Runs as root, once: it gives away what it makes. */
const ROOT = 'secrets';
/** Kafka's image has a user of its own, and writes its configuration beside its programs. */
const WRITES_BESIDE_ITSELF = 'kafka';

/** What is wrong with docker-compose.yml; each line says where. */
export async function composeFaults(compose: Compose, secrets: Secrets): Promise<string[]> {
  const own = ownServices(compose);
  const missing = IMAGES.filter((image) => !own.some(([name]) => name === image)).map((image) => `there is no ${image}`);
  const settings = await Promise.all(own.map(async ([name, image, service]) => variableFaults(name, variablesOf(service), await schemaOf(image))));
  const served = own.flatMap(([name, image, service]) => (name === image ? [{ image, service }] : []));
  const limits = await Promise.all(served.map(({ image, service }) => limitFaults(image, service.deploy?.resources?.limits?.['memory'], variablesOf(service))));
  return [
    ...missing,
    ...settings.flat(),
    ...buildFaults(own),
    ...limits.flat(),
    ...own.flatMap(([name, image, service]) => [...secretFaults(name, service, secrets), ...addressFaults(name, service, compose), ...migrationFaults(name, image, compose)]),
    ...Object.entries(compose.services).flatMap(([name, service]) => [...confinementFaults(name, service), ...dependencyFaults(name, service, compose)]),
  ];
}

/** BuildKit refuses to export one tag twice at once, and a tag that nobody builds would be asked of a registry. */
function buildFaults(own: ReturnType<typeof ownServices>): string[] {
  const tags = [...new Set(own.map(([, , { image }]) => image))];
  return tags.flatMap((tag) => {
    const builders = own.filter(([, , { image, build }]) => image === tag && build !== undefined);
    const wrong = builders.filter(([, image, { build }]) => build?.args['SERVICE'] !== image);
    const names = builders.map(([name]) => name).join(', ') || 'nobody';
    return [
      ...(builders.length === 1 ? [] : [`${tag}: is built by ${names}`]),
      ...wrong.map(([name]) => `${name}: builds another service under its tag`),
    ];
  });
}

/** `NAME_FILE: /run/secrets/<user>/<NAME>`: made by deploy/secrets, for this service. */
function secretFaults(name: string, service: ComposeService, secrets: Secrets): string[] {
  const files = Object.entries(variablesOf(service)).filter(([variable]) => variable.endsWith('_FILE'));
  return files.flatMap(([variable, path = '']) => {
    const [, user = '', file = ''] = /^\/run\/secrets\/(\w+)\/(\w+)$/.exec(path) ?? [];
    if (`${file}_FILE` !== variable || user !== name.replace(/-migrate$/, '')) return [`${name}: ${variable} is ${path}`];
    return secrets[user]?.[file] === undefined ? [`${name}: nobody makes ${path}`] : [];
  });
}

function addressFaults(name: string, service: ComposeService, compose: Compose): string[] {
  return addressesIn(variablesOf(service)).flatMap(({ host, port }) => {
    const target = compose.services[host];
    if (!target) return [`${name}: there is no ${host}`];
    const listens = LISTENING[host]?.(target) ?? `:${PORT}`;
    return listens.endsWith(`:${port}`) ? [] : [`${name}: ${host} does not listen on ${port}`];
  });
}

/** A service that does not migrate at its start waits for the one run that does, with the same settings. */
function migrationFaults(name: string, image: ImageName, { services }: Compose): string[] {
  if (image === 'gateway' || name !== image) return [];
  return brokenRules(name, { service: services[name], migration: services[`${image}-migrate`], awaited: services[name]?.depends_on?.[`${image}-migrate`]?.condition }, MIGRATION);
}

interface Migrated {
  readonly service: ComposeService | undefined;
  readonly migration: ComposeService | undefined;
  readonly awaited: string | undefined;
}

const MIGRATION: Rules<Migrated> = [
  [({ migration }) => migration?.command?.join(' ') === 'migrate', 'nobody migrates its stores'],
  [({ migration, service }) => JSON.stringify([migration?.environment, migration?.user]) === JSON.stringify([service?.environment, service?.user]), 'its migration has other settings'],
  [({ awaited }) => awaited === 'service_completed_successfully', 'does not wait for its migration'],
];

const isOnce = ({ restart }: ComposeService) => restart === 'no';

const CONFINEMENT: Rules<ComposeService> = [
  [({ image }) => isExactImage(image), 'its image has no exact tag'],
  [({ cap_drop: dropped = [] }) => dropped.includes('ALL'), 'keeps capabilities'],
  [({ security_opt: options = [] }) => options.includes('no-new-privileges:true'), 'may gain privileges'],
  [(service) => isOnce(service) || service.deploy?.resources?.limits?.['memory'] !== undefined, 'has no limit of memory'],
  [(service) => isOnce(service) || service.stop_grace_period !== undefined, 'is given no time to stop'],
  [({ ports = [] }) => ports.every((port) => port.startsWith('127.0.0.1:')), 'listens to the whole network unasked'],
];

function confinementFaults(name: string, service: ComposeService): string[] {
  const { ports, read_only: isReadOnly, user = '' } = service;
  const own: Rules<string> = [
    [() => isReadOnly === true || name === WRITES_BESIDE_ITSELF, 'may write to its root file system'],
    [() => name === ROOT || name === WRITES_BESIDE_ITSELF || /^[1-9]\d*:[1-9]\d*$/.test(user), 'does not run as a numbered user'],
    [() => ports === undefined || PUBLISHING.includes(name), 'publishes a port'],
    [() => ports !== undefined || !PUBLISHING.includes(name), 'publishes no port'],
  ];
  return [...brokenRules(name, service, CONFINEMENT), ...brokenRules(name, name, own)];
}

function dependencyFaults(name: string, service: ComposeService, compose: Compose): string[] {
  const needs = Object.entries(service.depends_on ?? {}).flatMap(([other, { condition }]) => {
    const target = compose.services[other];
    if (!target) return [`${name}: waits for ${other}, which there is not`];
    if (condition === 'service_completed_successfully') return target.restart === 'no' ? [] : [`${name}: waits for the end of ${other}, which does not end`];
    // Our own images bring their health check (deploy/Dockerfile).
    return condition === 'service_healthy' && (target.healthcheck ?? target.build) ? [] : [`${name}: nobody knows whether ${other} is healthy`];
  });
  const volumes = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '').filter((volume) => !volume.startsWith('.') && !(volume in compose.volumes));
  const networks = (service.networks ?? []).filter((network) => !(network in compose.networks));
  return [...needs, ...[...volumes, ...networks].map((unknown) => `${name}: there is no ${unknown}`)];
}
