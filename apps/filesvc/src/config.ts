import { join } from 'node:path';
import type { S3Options } from '@twinyard/blobs';
import { jobSettings } from '@twinyard/jobs';
import { atMostOneOf, baseSettings, fairShareSettings, needing } from '@twinyard/service-kit';
import { z } from 'zod';
import { faultsOfQuotas, parseQuotas } from './quota/namespace-quotas';
import { isClamdAddress } from './scan/clamd-address';

export const environment = process.env;

const GIBIBYTE = 1024 ** 3;

const isOrigin = (text: string) => /^https?:/i.test(text) && URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, '');
const origin = z.string().refine(isOrigin, 'must be http(s)://host:port');
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const ofS3 = <S extends z.ZodType>(schema: S) => needing(schema, 'S3_ENDPOINT');

const stores = atMostOneOf({
  BLOBS_DIR: z.string().describe('Folder of the bytes of files, `DATA_DIR/blobs` by default; this or `S3_ENDPOINT`'),
  S3_ENDPOINT: origin.describe('S3 that keeps the bytes of files, `http(s)://host:port`; this or `BLOBS_DIR`. An authority of your own goes to `NODE_EXTRA_CA_CERTS`'),
});

/** Where the bytes of files are: a folder, unless an S3 is named. */
const blobSettings = {
  ...stores,
  S3_ENDPOINT: needing(stores.S3_ENDPOINT, 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'),
  S3_BUCKET: ofS3(z.string().regex(BUCKET, 'is no name of a bucket').optional().describe('Bucket for the bytes of files, under `objects/`; made at the start when there is none')),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region that requests to S3 are signed for'),
  S3_ACCESS_KEY: ofS3(z.string().min(1).optional().describe('Access key at S3')),
  S3_SECRET_KEY: ofS3(z.string().min(1).optional().describe('Secret key at S3')),
  S3_PATH_STYLE: z.enum(['true', 'false']).default('true').describe('Whether the bucket stands in the path of an address (`host/bucket/key`) or before the host (`bucket.host/key`)'),
  S3_PUBLIC_ENDPOINT: ofS3(origin.optional().describe('The S3 as clients reach it, for presigned addresses; `S3_ENDPOINT` by default')),
  S3_REDIRECT_MIN_BYTES: ofS3(
    z.coerce.number().int().min(0).optional().describe('Downloads of at least so many bytes are answered with a redirection (302) to a presigned address of S3; none by default: the service streams them'),
  ),
};

const ofSecondaryS3 = <S extends z.ZodType>(schema: S) => needing(schema, 'S3_SECONDARY_ENDPOINT');

const secondaryStores = atMostOneOf({
  BLOBS_SECONDARY_DIR: z.string().describe('Folder with bytes of files that move to or from the store of `BLOBS_DIR` or `S3_ENDPOINT`: read from and deleted in as well, not written to; see docs/operations/moving-blobs.md'),
  S3_SECONDARY_ENDPOINT: origin.describe('The same as `BLOBS_SECONDARY_DIR`, an S3'),
});

/** A second store, while bytes move from one to the other. */
const secondarySettings = {
  ...secondaryStores,
  S3_SECONDARY_ENDPOINT: needing(secondaryStores.S3_SECONDARY_ENDPOINT, 'S3_SECONDARY_BUCKET', 'S3_SECONDARY_ACCESS_KEY', 'S3_SECONDARY_SECRET_KEY'),
  S3_SECONDARY_BUCKET: ofSecondaryS3(z.string().regex(BUCKET, 'is no name of a bucket').optional().describe('Bucket of the second S3')),
  S3_SECONDARY_REGION: z.string().min(1).default('us-east-1').describe('Region of the second S3'),
  S3_SECONDARY_ACCESS_KEY: ofSecondaryS3(z.string().min(1).optional().describe('Access key at the second S3')),
  S3_SECONDARY_SECRET_KEY: ofSecondaryS3(z.string().min(1).optional().describe('Secret key at the second S3')),
  S3_SECONDARY_PATH_STYLE: z.enum(['true', 'false']).default('true').describe('As `S3_PATH_STYLE`, of the second S3'),
  S3_SECONDARY_PUBLIC_ENDPOINT: ofSecondaryS3(origin.optional().describe('As `S3_PUBLIC_ENDPOINT`, of the second S3')),
};

/** How much a namespace may hold. */
const quotaSettings = {
  NAMESPACE_QUOTA_BYTES: z.coerce.number().int().min(0).optional().describe('Most bytes that all versions in one namespace may have together; no limit by default'),
  NAMESPACE_QUOTAS: z
    .string().default('').describe('The same for single namespaces: `<namespace>=<bytes>`, separated by commas; bytes may be a number of `KiB`, `MiB`, `GiB` or `TiB`')
    .superRefine((text, context) => { for (const message of faultsOfQuotas(text)) context.addIssue({ code: 'custom', message }); })
    .transform(parseQuotas),
};

/** Who looks at uploads for malware. */
const scanSettings = {
  SCAN_CLAMD_ADDRESS: z.string().refine(isClamdAddress, 'must be host:port, or the absolute path of a socket').optional().describe('clamd that every upload is shown to, `host:port` or the path of its socket; none by default: nothing is scanned'),
  SCAN_TIMEOUT_SECONDS: needing(z.coerce.number().int().min(1).max(3_600).default(60).describe('How long the scanner may be silent before an upload is answered 503'), 'SCAN_CLAMD_ADDRESS'),
  SCAN_TOO_LARGE: needing(z.enum(['refuse', 'keep']).default('refuse').describe('Uploads beyond `StreamMaxLength` of clamd: refuse (413), or keep unscanned'), 'SCAN_CLAMD_ADDRESS'),
};

/** Pictures of files. */
const previewSettings = {
  PREVIEW_PROCESSES: z.coerce.number().int().min(0).max(16).default(1).describe('Processes of this replica that draw previews, while there is work; 0: it leaves them to others'),
  PREVIEW_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(900).default(60).describe('Most time for the drawing of one preview'),
  PREVIEW_MEMORY_MB: z.coerce.number().int().min(128).max(16_384).default(1_024).describe('Most memory of a process that draws; watched on Linux'),
  PREVIEW_MAX_INPUT_BYTES: z.coerce.number().int().min(1_024).max(2 * GIBIBYTE - 1).default(GIBIBYTE / 4).describe('Images, PDF and models of more bytes, decoded, get no preview; of a text the first lines are always drawn'),
};

export const filesvcSettings = baseSettings.extend({
  ...fairShareSettings,
  ...jobSettings,
  UPLOAD_PLACES: z.coerce.number().int().min(2).max(100).default(4).describe('Uploads that one process writes down at a time, of those whose bytes have come; others go on sending meanwhile'),
  DATA_DIR: z.string().default('.data').describe('Folder of everything that is kept on this machine'),
  ...blobSettings,
  ...secondarySettings,
  MAX_FILE_SIZE: z.coerce.number().int().min(1).default(20 * GIBIBYTE).describe('Most bytes of one file version'),
  ...quotaSettings,
  ...scanSettings,
  URL_SIGNING_KEY: z.string().min(32).optional().describe('Secret that signs download addresses; derived from SERVICE_TOKEN by default'),
  URL_SIGNING_KEY_PREVIOUS: z.string().min(32).optional().describe('Another such secret that is still, or already, accepted while `URL_SIGNING_KEY` is being replaced'),
  URL_TTL_SECONDS: z.coerce.number().int().min(1).default(3_600).describe('How long a download address works'),
  UPLOAD_EXPIRY_SECONDS: z.coerce.number().int().min(60).default(86_400).describe('When what an unfinished upload left behind is removed'),
  BLOB_RETENTION_SECONDS: z.coerce.number().int().min(0).max(31_536_000).default(0).describe('How long the bytes of deleted versions are kept: a database restored from a backup that is not older finds them'),
  ...previewSettings,
  GRAPHICS_EXTENSIONS: z.string().default('scs scz svf glb gltf b3dm xkt frag').describe('Extensions of files that count as graphics files, separated by spaces'),
});

export type FilesvcSettings = z.infer<typeof filesvcSettings>;

export const blobsFolder = (settings: FilesvcSettings) => settings.BLOBS_DIR ?? join(settings.DATA_DIR, 'blobs');

/** Nothing, when the bytes are kept in a folder. */
export function s3Options(settings: FilesvcSettings): S3Options | undefined {
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket = '', S3_ACCESS_KEY: accessKey = '', S3_SECRET_KEY: secretKey = '' } = settings;
  if (endpoint === undefined) return undefined;
  const pathStyle = settings.S3_PATH_STYLE === 'true';
  return { endpoint, publicEndpoint: settings.S3_PUBLIC_ENDPOINT, bucket, region: settings.S3_REGION, accessKey, secretKey, pathStyle };
}

/** Nothing, when there is no second store, or when it is a folder. */
export function secondaryS3Options(settings: FilesvcSettings): S3Options | undefined {
  const { S3_SECONDARY_ENDPOINT: endpoint, S3_SECONDARY_BUCKET: bucket = '', S3_SECONDARY_ACCESS_KEY: accessKey = '', S3_SECONDARY_SECRET_KEY: secretKey = '' } = settings;
  if (endpoint === undefined) return undefined;
  const pathStyle = settings.S3_SECONDARY_PATH_STYLE === 'true';
  return { endpoint, publicEndpoint: settings.S3_SECONDARY_PUBLIC_ENDPOINT, bucket, region: settings.S3_SECONDARY_REGION, accessKey, secretKey, pathStyle };
}

/** `@Inject(FILESVC_SETTINGS)` */
export const FILESVC_SETTINGS = Symbol('filesvc-settings');
