// Makes the secrets of a deployment that brings its own engines, at random. Nothing but Node: it runs in the bare image of Node, too.
//   node make-secrets.mjs files <folder>      one folder for each user of secrets, owned by it; those that are there stay (docker compose)
//   node make-secrets.mjs kubernetes          Secrets on standard output, for `kubectl apply -f -` (k8s/overlays/dev)
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SERVICES = ['passportsvc', 'itemsvc', 'filesvc', 'datasourcesvc', 'aisvc', 'metricsvc', 'notificationsvc'];
/** Services with a database in PostgreSQL; itemsvc keeps its records in MongoDB. */
const WITH_SQL = SERVICES.filter((service) => service !== 'itemsvc');

/** Letters and digits alone: such a secret stands in an address, and behind an option of a command, as it is. */
const password = () => randomBytes(24).toString('hex');

/** What is drawn by chance. Everything else is put together from it. */
const DRAWN = {
  'service-token': password,
  'key-encryption-key': () => randomBytes(32).toString('base64'),
  'itemsvc-key-encryption-key': () => randomBytes(32).toString('base64'),
  'admin-password': () => process.env.ADMIN_PASSWORD || randomBytes(12).toString('hex'),
  'postgres-password': password,
  'mongo-root-password': password,
  'mongo-key': () => randomBytes(192).toString('base64'),
  'itemsvc-mongo-password': password,
  's3-access-key': () => randomBytes(10).toString('hex'),
  's3-secret-key': password,
  ...Object.fromEntries(WITH_SQL.map((service) => [`${service}-database-password`, password])),
};

/** User of secrets → name → value. The hosts are those of the engines in docker-compose.yml and in k8s/overlays/dev. */
function secretsOf(drawn) {
  const sqlUrl = (service) => `postgresql://${service}:${drawn[`${service}-database-password`]}@postgres:5432/${service}`;
  const common = { SERVICE_TOKEN: drawn['service-token'] };
  const services = Object.fromEntries(SERVICES.map((service) => [service, service === 'itemsvc' ? { ...common } : { ...common, DATABASE_URL: sqlUrl(service) }]));
  Object.assign(services.passportsvc, { KEY_ENCRYPTION_KEY: drawn['key-encryption-key'], ADMIN_PASSWORD: drawn['admin-password'] });
  Object.assign(services.itemsvc, { KEY_ENCRYPTION_KEY: drawn['itemsvc-key-encryption-key'], MONGO_URL: `mongodb://itemsvc:${drawn['itemsvc-mongo-password']}@mongo:27017/itemsvc?replicaSet=rs0` });
  Object.assign(services.filesvc, { S3_ACCESS_KEY: drawn['s3-access-key'], S3_SECRET_KEY: drawn['s3-secret-key'] });
  return {
    ...services,
    postgres: { POSTGRES_PASSWORD: drawn['postgres-password'], ...Object.fromEntries(WITH_SQL.map((service) => [service, drawn[`${service}-database-password`]])) },
    mongo: { MONGO_ROOT_PASSWORD: drawn['mongo-root-password'], MONGO_KEY: drawn['mongo-key'], itemsvc: drawn['itemsvc-mongo-password'] },
    s3: { ROOT_ACCESS_KEY_ID: drawn['s3-access-key'], ROOT_SECRET_ACCESS_KEY: drawn['s3-secret-key'] },
  };
}

/** User of secrets → user id that it runs as in docker-compose.yml. The engines' are those of their images. */
const USER_IDS = { ...Object.fromEntries(SERVICES.map((service, index) => [service, 10_001 + index])), postgres: 999, mongo: 999, s3: 1000 };

/** Volumes of those that do not run as root, and whose they are. */
const VOLUMES = { '/volumes/postgres': 999, '/volumes/mongo': 999, '/volumes/kafka': 1000, '/volumes/s3': 1000, '/volumes/mails': 10_100, '/volumes/sorts': USER_IDS.itemsvc, '/volumes/models': USER_IDS.datasourcesvc };

function draw() {
  return Object.fromEntries(Object.entries(DRAWN).map(([name, make]) => [name, make()]));
}

/** What was drawn once stays: the databases know it. A start that was cut off goes on where it stood. */
function keep(folder) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made = draw();
  return Object.fromEntries(Object.keys(made).map((name) => {
    const file = join(folder, name);
    if (!existsSync(file)) {
      writeFileSync(`${file}.part`, made[name], { mode: 0o600, flush: true });
      renameSync(`${file}.part`, file);
    }
    return [name, readFileSync(file, 'utf8')];
  }));
}

function writeFiles(folder) {
  const drawn = keep(join(folder, 'drawn'));
  for (const [user, values] of Object.entries(secretsOf(drawn))) {
    mkdirSync(join(folder, user), { recursive: true });
    for (const [name, value] of Object.entries(values)) {
      const file = join(folder, user, name);
      writeFileSync(`${file}.part`, value, { mode: 0o400 });
      own(`${file}.part`, USER_IDS[user]);
      renameSync(`${file}.part`, file);
    }
    chmodSync(join(folder, user), 0o500);
    own(join(folder, user), USER_IDS[user]);
  }
  for (const [volume, id] of Object.entries(VOLUMES)) if (existsSync(volume)) own(volume, id);
}

/** Only root gives files away; for others (tests) they stay theirs. */
function own(path, id) {
  if (process.getuid?.() === 0) chownSync(path, id, id);
}

function manifests() {
  const secret = ([user, values]) => ({
    apiVersion: 'v1', kind: 'Secret', metadata: { name: user, namespace: 'twinyard', labels: { 'app.kubernetes.io/part-of': 'twinyard' } }, stringData: values,
  });
  return { apiVersion: 'v1', kind: 'List', items: Object.entries(secretsOf(draw())).map(secret) };
}

function main([form, folder]) {
  if (form === 'files' && folder) return writeFiles(folder);
  if (form === 'kubernetes') return void process.stdout.write(`${JSON.stringify(manifests(), null, 2)}\n`);
  process.stderr.write('make-secrets files <folder> | make-secrets kubernetes\n');
  process.exitCode = 2;
}

main(process.argv.slice(2));
