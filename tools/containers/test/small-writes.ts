import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES } from '@twinyard/conventions';
import type { Fields } from '../../tour/api';
import type { Project } from '../../tour/steps/project';
import { newTeam } from '../../tour/steps/refusals';

interface SmallRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

const AT_ONCE = 4;
const PAUSE_MS = 50;

/** Small writes to each service, one after the other on a few lines; metricsvc, which is told everything by events, is asked. Nothing is tried twice. */
export class SmallWrites {
  readonly failures: string[] = [];
  private readonly counts = new Map<string, number>();
  private readonly lines: Promise<void>[];
  private goesOn = true;
  private number = 0;
  /** In names, which no others have that were made here before or are made beside these. */
  private readonly mark = randomBytes(4).toString('hex');

  /** `baseUrl` where they take another way than the project's owner. */
  constructor(private readonly project: Project, private readonly baseUrl = project.owner.baseUrl) {
    this.lines = Array.from({ length: AT_ONCE }, () => this.line());
  }

  /** How many of the requests to each service have been answered as they should be. */
  async stop(): Promise<Readonly<Record<string, number>>> {
    this.goesOn = false;
    await Promise.all(this.lines);
    return Object.fromEntries(this.counts);
  }

  private async line(): Promise<void> {
    while (this.goesOn) {
      const service = SERVICES[this.number++ % SERVICES.length] ?? 'itemsvc';
      const fault = await this.send(REQUESTS[service](this.project.namespace, `${this.mark}${this.number}`)).catch((error: Error) => `${error.message} ${String((error.cause as Error | undefined)?.message ?? '')}`);
      if (fault === undefined) this.counts.set(service, (this.counts.get(service) ?? 0) + 1);
      else this.failures.push(`${service}: ${fault}`);
      await delay(PAUSE_MS);
    }
  }

  private async send({ method, path, body }: SmallRequest): Promise<string | undefined> {
    const { token, namespace = '' } = this.project.owner;
    const url = new URL(path, this.baseUrl);
    url.searchParams.set('nsfilter', namespace);
    const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return response.ok ? undefined : `${response.status} ${text.slice(0, 200)}`;
  }
}

const named = (mark: string, rest: Fields): Fields => ({ _name: `Small ${mark}`, _description: '', ...rest });

const REQUESTS: Readonly<Record<(typeof SERVICES)[number], (namespace: string, mark: string) => SmallRequest>> = {
  passportsvc: (_namespace, mark) => ({ method: 'POST', path: '/passportsvc/api/v1/usergroups', body: [named(mark, { _shortName: `small${mark}` })] }),
  itemsvc: (namespace, mark) => ({
    method: 'POST', path: '/itemsvc/api/v1/nameduseritems',
    body: [named(mark, { _shortName: `small${mark}`, _namespaces: [namespace], _userType: 'small', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} } })],
  }),
  filesvc: (namespace, mark) => ({ method: 'POST', path: `/filesvc/api/v1/files?_name=small-${mark}&_namespaces=${namespace}` }),
  datasourcesvc: (namespace, mark) => ({
    method: 'POST', path: '/datasourcesvc/api/v1/orchestrators',
    body: named(mark, { _namespaces: [namespace], _userType: 'small', _schemaversion: '2.0', _params: { tasks: [{ name: 'ifc_import', _name: 'Import', _sequenceno: 1, _actualparams: {} }] } }),
  }),
  aisvc: (namespace) => ({ method: 'POST', path: '/aisvc/api/v1/teams', body: newTeam(namespace) }),
  metricsvc: (namespace) => ({ method: 'GET', path: `/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount?namespace=${namespace}` }),
  notificationsvc: (namespace, mark) => ({ method: 'POST', path: '/notificationsvc/api/v1/group', body: { _name: `Small ${mark}`, _namespaces: [namespace] } }),
};
