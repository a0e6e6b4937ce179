import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { GUIDES } from './guides';
import { escapeHtml, page, PLAN } from './page';
import { REFERENCE } from './reference/reference-page';
import { MERGED_PATH } from './reference/merged-reference';

const ACCOUNT = '/passportsvc/api/accounts';
/** Leads through it, and ends on the account page. */
const SIGN_IN = `${ACCOUNT}/sign-in`;

const KEEPS: Readonly<Record<ServiceName, string>> = {
  passportsvc: 'people, organizations, applications, permissions; sign-in',
  itemsvc: 'collections of items, their relations and versions, readings of sensors',
  filesvc: 'folders, files, their versions and pictures',
  datasourcesvc: 'imports, exports and scripts, on demand or on a schedule',
  aisvc: 'teams of agents',
  metricsvc: 'counts and sizes of all of this',
  notificationsvc: 'mails and webhooks that events send',
};

const references = SERVICES.map((service) => ({ service, reference: `/${service}/api/docs`, openapi: `/${service}/api/v1/openapi.json` }));

/** For those who ask for JSON. */
export const frontBody = { name: 'Twinyard', health: '/health/ready', account: ACCOUNT, guides: GUIDES.map(({ path }) => path), openapi: MERGED_PATH, reference: REFERENCE, services: references };

const row = ({ service, reference, openapi }: (typeof references)[number]) =>
  `        <li><div><a href="${reference}">${service}</a><span class="small">${KEEPS[service]}</span></div><a class="small" href="${openapi}" aria-label="OpenAPI document of ${service}">OpenAPI</a></li>`;

const guide = ({ path, title, about }: (typeof GUIDES)[number]) => `        <li><div><a href="${path}">${title}</a><span class="small">${about}</span></div></li>`;

const kept = (dataDir: string) => `
    <section>
      <h2>On this machine</h2>
      <p>All data is stored in <code>${escapeHtml(dataDir)}</code>: a copy of this folder, made while the platform is stopped, is a copy of it all. The manager's password and the client of the sample project are in <code>secrets</code>, mails that were not sent in <code>mail</code>.</p>
    </section>`;

/** `dataDir`: for callers of the machine that it lies on. */
export const frontPage = (dataDir?: string): string => page('Twinyard', `    <section>
      <h1>Twinyard</h1>
      <p class="lead">An open backend for digital twins. It keeps building models, files, sensor readings and automations for many tenants, and answers questions across all of them through one HTTP API.</p>
      <p class="actions"><a class="button" href="${SIGN_IN}">Sign in</a> <a class="button quiet" href="${GUIDES[0].path}">Quickstart</a></p>
      <figure>
        <img src="${PLAN}" width="640" height="480" alt="Floor plan with four rooms, doors and windows">
        <figcaption>The ground floor of the sample building, as the platform draws it from its IFC file.</figcaption>
      </figure>
    </section>
    <section>
      <h2>Guides</h2>
      <ul class="rows">
${GUIDES.map(guide).join('\n')}
      </ul>
    </section>
    <section>
      <h2>References</h2>
      <p><a class="button quiet" href="${REFERENCE}">All operations, to read and to try</a></p>
      <ul class="rows">
${references.map(row).join('\n')}
      </ul>
      <p class="small">All of them in one document, for generators of clients: <a href="${MERGED_PATH}">${MERGED_PATH}</a></p>
    </section>${dataDir === undefined ? '' : kept(dataDir)}`);
