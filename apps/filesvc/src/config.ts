import { join } from 'node:path';
import { baseSettings } from '@twinyard/service-kit';
import { z } from 'zod';

export const environment = process.env;

const GIBIBYTE = 1024 ** 3;

export const filesvcSettings = baseSettings.extend({
  DATA_DIR: z.string().default('.data').describe('Folder of everything that is kept on this machine'),
  BLOBS_DIR: z.string().optional().describe('Folder of the bytes of files; `DATA_DIR/blobs` by default'),
  MAX_FILE_SIZE: z.coerce.number().int().min(1).default(20 * GIBIBYTE).describe('Most bytes of one file version'),
  URL_SIGNING_KEY: z.string().min(32).optional().describe('Secret that signs download addresses; derived from SERVICE_TOKEN by default'),
  URL_TTL_SECONDS: z.coerce.number().int().min(1).default(3_600).describe('How long a download address works'),
  UPLOAD_EXPIRY_SECONDS: z.coerce.number().int().min(60).default(86_400).describe('When what an unfinished upload left behind is removed'),
  GRAPHICS_EXTENSIONS: z.string().default('scs scz svf glb gltf b3dm xkt frag').describe('Extensions of files that count as graphics files, separated by spaces'),
});

export type FilesvcSettings = z.infer<typeof filesvcSettings>;

export const blobsFolder = (settings: FilesvcSettings) => settings.BLOBS_DIR ?? join(settings.DATA_DIR, 'blobs');

/** `@Inject(FILESVC_SETTINGS)` */
export const FILESVC_SETTINGS = Symbol('filesvc-settings');
