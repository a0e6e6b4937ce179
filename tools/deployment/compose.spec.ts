import { repositoryRoot } from '../checks/repository/repository';
import { composeText, exampleNames, missingFiles, parseCompose, settableNames } from './compose';
import { composeFaults } from './compose-faults';
import { dockerfileFaults, dockerfileText, parseDockerfile } from './dockerfile';
import { madeSecrets } from './secrets';

const root = repositoryRoot();
const text = composeText(root);
const secrets = madeSecrets(root);

/** The text with one thing broken; throws when there was nothing to break. */
function broken(whole: string, what: string | RegExp, by: string): string {
  const changed = whole.replace(what, by);
  if (changed === whole) throw new Error(`nothing to break: ${what}`);
  return changed;
}

describe('docker-compose.yml', () => {
  it('gives every service what it reads, all that it needs, and nothing else', async () => {
    expect(await composeFaults(parseCompose(text), secrets)).toEqual([]);
    expect(missingFiles(root, parseCompose(text))).toEqual([]);
  });

  it('can be changed by what .env.example lists, and by nothing else', () => {
    expect([...settableNames(text)].sort()).toEqual([...exampleNames(root)].sort());
  });

  it.each([
    ['a setting that no service has', '      LOG_LEVEL: ${LOG_LEVEL', '      LOG_LEVELS: ${LOG_LEVEL', 'gateway: LOG_LEVELS is no setting of it'],
    ['a setting of another service', '    ITEMSVC_URL: http://itemsvc:3000\n    FILESVC', '    SIGN_UP: off\n    FILESVC', 'datasourcesvc: SIGN_UP is no setting of it'],
    ['a required setting that is missing', '    FILESVC_URL: http://filesvc:3000\n\n', '\n', 'datasourcesvc: FILESVC_URL: is missing'],
    ['both of two stores', '  KAFKA_BROKERS: kafka:9092', '  KAFKA_BROKERS: kafka:9092\n  EVENTS_DATABASE_URL: postgresql://x', 'aisvc: EVENTS_DATABASE_URL and KAFKA_BROKERS: only one of them may be given'],
    ['neither of two stores', '  KAFKA_BROKERS: kafka:9092\n', '', 'aisvc: EVENTS_DATABASE_URL and KAFKA_BROKERS: one of them must be given'],
    ['a setting without the one that it needs', '    S3_BUCKET: twinyard-files\n', '', 'filesvc: S3_BUCKET: is missing, S3_ENDPOINT needs it'],
    ['a value that the service refuses', '  LOG_LEVEL: ${LOG_LEVEL:-info}\n  MIGRATE', '  LOG_LEVEL: loud\n  MIGRATE', /^aisvc: LOG_LEVEL/],
    ['a wrong port of a service', '      AISVC_URL: http://aisvc:3000', '      AISVC_URL: http://aisvc:3001', 'gateway: aisvc does not listen on 3001'],
    ['a wrong port of an engine', 'http://s3:7070', 'http://s3:7071', 'filesvc: s3 does not listen on 7071'],
    ['an address of nobody', '      METRICSVC_URL: http://metricsvc:3000', '      METRICSVC_URL: http://metrics:3000', 'gateway: there is no metrics'],
    ['a secret in the open', 'SERVICE_TOKEN_FILE: /run/secrets/aisvc/SERVICE_TOKEN', 'SERVICE_TOKEN: the secret of all the services', 'aisvc: SERVICE_TOKEN is a secret and stands in the open'],
    ['a secret of another service', '/run/secrets/aisvc/DATABASE_URL', '/run/secrets/filesvc/DATABASE_URL', 'aisvc: DATABASE_URL_FILE is /run/secrets/filesvc/DATABASE_URL'],
    ['a secret that nobody makes', '    S3_BUCKET:', '    URL_SIGNING_KEY_FILE: /run/secrets/filesvc/URL_SIGNING_KEY\n    S3_BUCKET:', 'filesvc: nobody makes /run/secrets/filesvc/URL_SIGNING_KEY'],
    ['a service that nobody migrates', '  aisvc-migrate: { <<: [*aisvc, *migration] }\n', '', 'aisvc: nobody migrates its stores'],
    ['a migration that is not awaited', 'aisvc-migrate: { condition: service_completed_successfully }', 'aisvc-migrate: { condition: service_started }', 'aisvc: does not wait for its migration'],
    ['an engine that is published', '  kafka:\n    <<: *hardened', '  kafka:\n    <<: *hardened\n    ports: ["127.0.0.1:9092:9092"]', 'kafka: publishes a port'],
    ['an image without a tag', 'image: postgres:18.4', 'image: postgres:latest', 'postgres: its image has no exact tag'],
    ['a service that is lost', /\n {2}metricsvc:\n(?: {4}.*\n)+/, '\n', 'there is no metricsvc'],
    ['a wait for somebody who cannot be asked', 'healthcheck: { test: [CMD, /mailpit, readyz]', 'x-healthcheck: { test: [CMD, /mailpit, readyz]', 'notificationsvc: nobody knows whether mailpit is healthy'],
    ['a tag that two build', '  aisvc-migrate: { <<: [*aisvc, *migration] }', '  aisvc-migrate: { <<: [*aisvc, *migration], build: { context: ., dockerfile: deploy/Dockerfile, args: { SERVICE: aisvc } } }', 'twinyard/aisvc:dev: is built by aisvc, aisvc-migrate'],
    ['a tag that nobody builds', '    build: { context: ., dockerfile: deploy/Dockerfile, args: { SERVICE: aisvc } }\n', '', 'twinyard/aisvc:dev: is built by nobody'],
    ['another service under its tag', 'args: { SERVICE: aisvc }', 'args: { SERVICE: itemsvc }', 'aisvc: builds another service under its tag'],
    ['less memory than previews may take', 'memory: 2G, pids: 200 } } } # previews', 'memory: 1G, pids: 200 } } } # previews', /^filesvc: its limit of memory is 1024 MB, and its settings let it take/],
    ['another limit than in Kubernetes', 'memory: 768M, pids', 'memory: 800M, pids', 'aisvc: its limit of memory is 800 MB, not 768'],
    ['settings that take more than the limit', '    SIGN_UP: ', '    BODY_MEMORY_MB: "64"\n    SIGN_UP: ', 'passportsvc: its limit of memory is 768 MB, and its settings let it take 960'],
    ['a container that keeps its capabilities', '  cap_drop: [ALL]\n  security', '  security', 'gateway: keeps capabilities'],
  ])('is refused with %s', async (_what, what, by, fault) => {
    expect(await composeFaults(parseCompose(broken(text, what, by)), secrets)).toContainEqual(typeof fault === 'string' ? fault : expect.stringMatching(fault));
  });
});

describe('deploy/Dockerfile', () => {
  const dockerfile = dockerfileText(root);

  it('ends with an image that runs as nobody, from exec forms, with programs that every image has', () => {
    expect(dockerfileFaults(root, parseDockerfile(dockerfile))).toEqual([]);
  });

  it.each([
    ['a user with rights', 'USER 65532:65532', 'USER root', 'does not run as a numbered user'],
    ['a shell before the service', 'ENTRYPOINT ["node", "--max-http-header-size=1048576", "main.js"]', 'ENTRYPOINT node main.js', 'a command goes through a shell, which keeps SIGTERM to itself'],
    ['another port', 'PORT=3000', 'PORT=8080', 'does not listen on 3000'],
    ['a health check that is not there', '"healthcheck.js"', '"health.js"', 'runs health.js, which is not in every image'],
    ['a file that is not there', 'COPY package.json', 'COPY packages.json', 'copies packages.json, which is not there'],
    ['packages that are installed last', 'ENV NODE_ENV', 'RUN npm ci\nENV NODE_ENV', 'installs something in the last stage'],
  ])('is refused with %s', (_what, what, by, fault) => {
    expect(dockerfileFaults(root, parseDockerfile(broken(dockerfile, what, by)))).toContain(`deploy/Dockerfile: ${fault}`);
  });
});
