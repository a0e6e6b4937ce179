import { jobSettings, leaseSetting, LONGEST_LEASE_MS } from '@twinyard/jobs';
import { baseSettings, fairShareSettings } from '@twinyard/service-kit';
import { z } from 'zod';
import { answerFileBounds } from './components/rest-connector/file-answer/answer-file-bounds';
import { areHostPatterns, HostPatterns } from './components/rest-connector/host-patterns';
import type { RestRules } from './components/rest-connector/rest-rules';
import type { IfcTerms } from './ifc/on-disk/ifc-reader';
import type { PlatformAddresses } from './platform-client/http/platform-http';

export const environment = process.env;

export const datasourcesvcSettings = baseSettings.extend({
  ...fairShareSettings,
  ...jobSettings,
  ITEMSVC_URL: z.url().describe('Address of itemsvc inside the deployment'),
  FILESVC_URL: z.url().describe('Address of filesvc inside the deployment'),
  DATASOURCESVC_URL: z.url().describe('Address of this service inside the deployment, for scripts'),
  AISVC_URL: z.url().describe('Address of aisvc inside the deployment, for scripts'),
  METRICSVC_URL: z.url().describe('Address of metricsvc inside the deployment, for scripts'),
  NOTIFICATIONSVC_URL: z.url().describe('Address of notificationsvc inside the deployment'),
  SCRIPT_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600).describe('How long a script of a step may run, waiting for answers aside, where neither its step nor its run has a `_timeout`'),
  RUN_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4).describe('Runs that this process works on at once, those inside of requests aside'),
  RUN_PER_NAMESPACE: z.coerce.number().int().min(1).max(10_000).default(3).describe('Of them, those of one namespace in all processes together: fewer than all processes work on, so that long runs of one leave room for another'),
  GEOMETRY_MEMORY_MB: z.coerce.number().int().min(512).max(65_536).default(1_536).describe('Memory of the process in which `geometry` converts a model, one at a time; one that needs more is refused'),
  INSTANT_RUN_SECONDS: z.coerce.number().int().min(1).max(3_600).default(30).describe('How long a request waits for its instant run; then the run is cancelled, and the answer is 400'),
  LOG_STREAMS: z.coerce.number().int().min(2).max(10_000).default(100).describe('Logs of runs that this process tells while they are written (`follow=true`), `TENANT_SHARE` of them of one organization; more are answered 429. Each holds a place of `UPSTREAM_CONNECTIONS` in the gateway'),
  RUN_LEASE_MS: leaseSetting('its run', { leastMs: 10, defaultMs: LONGEST_LEASE_MS }),
  IFC_DIR: z.string().min(1).optional().describe('Folder for building models while they are imported, by default the one of the system for temporary files; on a disk, not in memory. Nothing stays there'),
  IFC_FILE_MB: z.coerce.number().int().min(1).max(1_024).default(512).describe('The largest IFC file that `ifc_import` reads. On disk it takes its size while it is read, and what it holds up to four times as much as the largest may have until it is written'),
  IFC_MEMORY_MB: z.coerce.number().int().min(256).max(16_384).default(1_536).describe('What the process that reads a model may have in memory, watched on Linux: a file of 317 MB takes 950, or 1,250 where its text has to be mended. One model is read at a time'),
  IFC_SECONDS: z.coerce.number().int().min(1).max(86_400).default(900).describe('How long the reading of one model may take'),
  REST_CONNECTOR_HOSTS: z
    .string().refine(areHostPatterns, 'must be hosts, separated by commas').default('')
    .describe('Hosts that `rest_connector` may call, separated by commas: names or numbers with `*` for any run of characters, and a port where only that one is meant (`api.example.com, *.example.org:8443`); none by default'),
  REST_CONNECTOR_ALLOW_PRIVATE: z.enum(['true', 'false']).default('false').transform((value) => value === 'true').describe('Whether these hosts may be at private addresses'),
  REST_CONNECTOR_FILE_MB: z.coerce.number().int().min(1).max(1_048_576).default(1_024).describe('Most of an answer, unpacked, that `rest_connector` writes to a file (`_toFile`); `MAX_FILE_SIZE` and the quotas of filesvc hold besides'),
});

export type DatasourcesvcSettings = z.infer<typeof datasourcesvcSettings>;

export const platformAddressesOf = (settings: DatasourcesvcSettings): PlatformAddresses => ({
  passportsvc: settings.PASSPORT_URL, itemsvc: settings.ITEMSVC_URL, filesvc: settings.FILESVC_URL, datasourcesvc: settings.DATASOURCESVC_URL, aisvc: settings.AISVC_URL, metricsvc: settings.METRICSVC_URL,
  notificationsvc: settings.NOTIFICATIONSVC_URL,
});

export const ifcTermsOf = ({ IFC_DIR, IFC_FILE_MB, IFC_MEMORY_MB, IFC_SECONDS }: DatasourcesvcSettings): IfcTerms => ({
  folder: IFC_DIR, fileMb: IFC_FILE_MB, memoryMb: IFC_MEMORY_MB, seconds: IFC_SECONDS,
});

/** What steps may call outside. */
export const restRulesOf = (settings: DatasourcesvcSettings): RestRules => ({
  hosts: new HostPatterns(settings.REST_CONNECTOR_HOSTS), allowPrivate: settings.REST_CONNECTOR_ALLOW_PRIVATE, files: answerFileBounds(settings.REST_CONNECTOR_FILE_MB, settings),
});
