import { SERVICES, type ServiceName } from '@twinyard/conventions';

type Commands = Readonly<Record<string, string>>;

const OWN: Readonly<Partial<Record<ServiceName, Commands>>> = {
  passportsvc: { keys: 'apps/passportsvc/src/keys.js', secrets: 'apps/passportsvc/src/secrets.js', audit: 'apps/passportsvc/src/audit.js', owners: 'apps/passportsvc/src/owners.js', mailboxes: 'apps/passportsvc/src/mailboxes.js' },
  itemsvc: { 'data-keys': 'apps/itemsvc/src/data-keys.js' },
  filesvc: { scrub: 'apps/filesvc/src/scrub.js', 'copy-store': 'apps/filesvc/src/copy-store.js', quarantine: 'apps/filesvc/src/quarantine.js', redraw: 'apps/filesvc/src/redraw.js', usage: 'apps/filesvc/src/usage.js' },
  metricsvc: { rebuild: 'apps/metricsvc/src/rebuild.js' },
  notificationsvc: { reseal: 'apps/notificationsvc/src/reseal.js' },
};

/** The operator's commands of a service, as compiled files below dist/; in its image they lie at the top, each with its name. */
export const commandsOf = (service: ServiceName): Commands => ({ ...OWN[service], 'replay-dead-letters': 'libs/events/src/replay-dead-letters.js', jobs: 'libs/jobs/src/operate-jobs.js' });

export const isService = (name: string): name is ServiceName => (SERVICES as readonly string[]).includes(name);

export const USAGE = `Runs an operator's command of a service, with the settings that the running platform of DATA_DIR gave it:

${SERVICES.flatMap((service) => Object.keys(commandsOf(service)).map((command) => `  npm run operate -- ${service} ${command} …`)).join('\n')}
`;
