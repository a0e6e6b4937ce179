import { SORT_DISK_BYTES } from '@twinyard/documents';
import { jobSettings } from '@twinyard/jobs';
import { baseSettings, exactlyOneOf, fairShareSettings } from '@twinyard/service-kit';
import { z } from 'zod';

export const environment = process.env;

/** Without a database in its path the driver would take one named `test`. */
const MONGO_ADDRESS = /^mongodb(\+srv)?:\/\/[^/?]+\/[^/?]+/;

const KEY_BYTES = 32;
const keySetting = () => z.string().refine((text) => Buffer.from(text, 'base64').length === KEY_BYTES, 'must be 32 bytes in base64');

export const itemSettings = baseSettings.omit({ DATABASE_URL: true }).extend({
  ...exactlyOneOf({
    DATABASE_URL: z.string().min(1).describe('PostgreSQL database of this service; this or `MONGO_URL`'),
    MONGO_URL: z.string().regex(MONGO_ADDRESS, 'must be mongodb://…/<database>')
      .describe('MongoDB replica set that keeps all of this service instead, with the database in the path; this or `DATABASE_URL`'),
  }),
  ...fairShareSettings,
  ...jobSettings,
  EXPORT_PLACES: z.coerce.number().int().min(2).max(100).default(4).describe('Exports that one process serves at a time; each holds a connection for as long as its reader takes'),
  EXPORT_STALL_SECONDS: z.coerce.number().int().min(1).max(600).default(30).describe('How long the reader of an export may take nothing before its connection is cut'),
  IMPORT_PLACES: z.coerce.number().int().min(2).max(100).default(4).describe('Parts of files of rows that one process writes down at a time; others go on sending meanwhile'),
  KEY_ENCRYPTION_KEY: keySetting().describe('Key that encrypts the keys of encrypted properties at rest, and requests that wait with such properties'),
  KEY_ENCRYPTION_KEY_PREVIOUS: keySetting().optional().describe('Another such key that is still, or already, known while `KEY_ENCRYPTION_KEY` is being replaced'),
  MONGO_ALLOW_STANDALONE: z.enum(['true', 'false']).default('false').transform((value) => value === 'true')
    .describe('Whether `MONGO_URL` may name a server without transactions: for tests only'),
  IMPORT_MAX_BYTES: z.coerce.number().int().min(1).default(5_000_000_000).describe('Largest file of rows that an import takes; it is kept, deflated, until the import has ended'),
  SORT_DIR: z.string().min(1).optional().describe('Folder for what aggregations sort that is too much for memory, by default the one of the system for temporary files; on a disk, not in memory. Nothing stays there'),
  SORT_DISK_BYTES: z.coerce.number().int().min(0).default(SORT_DISK_BYTES).describe('What the aggregations of one process may have there at a time; one of them a quarter of it, those of one organization `TENANT_SHARE`'),
  TELEMETRY_SCRIPT_SECONDS: z.coerce.number().min(0.1).max(60).default(5).describe('How long a script may take to normalize the readings of one request'),
  TELEMETRY_ERRORS_KEPT_DAYS: z.coerce.number().int().min(1).max(3_650).default(30).describe('Days for which readings that could not be normalized are kept'),
  TELEMETRY_ERRORS_KEPT: z.coerce.number().int().min(0).max(10_000_000).default(10_000).describe('Records of such readings, of at most 100 each, that a namespace keeps; the oldest go first'),
});

export type ItemSettings = z.infer<typeof itemSettings>;

/** For providers that need settings: `@Inject(ITEM_SETTINGS) settings: ItemSettings`. */
export const ITEM_SETTINGS = Symbol('item settings');
