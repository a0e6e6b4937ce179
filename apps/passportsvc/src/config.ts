import { jobSettings, leaseSetting } from '@twinyard/jobs';
import { baseSettings, fairShareSettings } from '@twinyard/service-kit';
import { mailSettings } from '@twinyard/service-kit/mail';
import { z } from 'zod';

export const environment = process.env;

const seconds = (fallback: number) => z.coerce.number().int().min(1).max(31_536_000).default(fallback);
const isKey = (text: string) => Buffer.from(text, 'base64').length === 32;

export const passportSettings = baseSettings.extend({
  ADMIN_EMAIL: z.email().default('admin@example.com').describe('E-mail address of the platform manager that the first start makes'),
  ADMIN_PASSWORD: z.string().min(8).optional().describe('Password of that platform manager; without it none is made'),
  CONSOLE_REDIRECT_URIS: z.string().default('').describe('Comma-separated redirect URIs of the console application; `BASE_URL/console/callback` is always one'),
  KEY_ENCRYPTION_KEY: z.string().refine(isKey, 'must be 32 bytes in base64').describe('Key that encrypts signing keys and secrets at rest'),
  KEY_ENCRYPTION_KEY_PREVIOUS: z.string().refine(isKey, 'must be 32 bytes in base64').optional().describe('Another such key that is still, or already, known while `KEY_ENCRYPTION_KEY` is being replaced'),
  BOOTSTRAP_CLIENT_ID: z.string().regex(/^[\w.-]{1,128}$/).optional().describe('Id of a client that the first start makes'),
  BOOTSTRAP_CLIENT_SECRET: z.string().min(16).optional().describe('Its secret'),
  BOOTSTRAP_CLIENT_SCOPES: z.string().default('read write').describe('Its scopes, separated by spaces'),
  ...fairShareSettings,
  ...jobSettings,
  ...mailSettings,
  MAIL_LEASE_MS: leaseSetting('a mail', { leastMs: 30, defaultMs: 6_000 }),
  MAIL_ATTEMPTS: z.coerce.number().int().min(1).default(12).describe('Attempts before a mail is given up'),
  MAIL_RETRY_MS: z.coerce.number().int().min(1).default(2_000).describe('Wait before the second attempt; doubled each time, an hour at most'),
  INVITE_TTL_SECONDS: seconds(604_800).describe('How long an invite to a group can be accepted; a reminder is sent at half of it'),
  INVITE_POLL_MS: z.coerce.number().int().min(10).default(10_000).describe('How often invites are looked through for those to remind of or to end'),
  INVITATIONS_PER_DAY: z.coerce.number().int().min(1).default(30).describe('Invitations to one mailbox in a day, to groups or to own something, of all inviters; more are refused'),
  INVITATIONS_OF_TENANT_PER_DAY: z.coerce.number().int().min(1).default(10).describe('The same of one organization, and of one person who names owners'),
  SIGN_UP: z.enum(['open', 'invited', 'off']).default('open').describe('Who may make an account: anybody, those whose address was invited to a group or named as an owner, or nobody'),
  SIGN_UPS_PER_MINUTE: z.coerce.number().int().min(1).default(20).describe('Sign-ups from one address in a minute, over all replicas'),
  ACCESS_TOKEN_SECONDS: seconds(3_600).describe('Lifetime of a user\'s access token'),
  CLIENT_TOKEN_SECONDS: seconds(1_800).describe('Lifetime of a client-credentials token that does not ask for another'),
  MAX_TOKEN_SECONDS: seconds(86_400).describe('Longest lifetime that a request can ask for'),
  RUN_TOKEN_SECONDS: seconds(900).describe('Lifetime of the token by which a run acts for somebody'),
  REFRESH_TOKEN_SECONDS: seconds(1_209_600).describe('Lifetime of a refresh token, and of all that it is rotated to'),
  UPSTREAM_ALLOW_PRIVATE: z.enum(['true', 'false']).default('false').transform((value) => value === 'true').describe('Whether identity providers of organizations may be at private addresses, and on this machine without TLS'),
  UPSTREAM_TIMEOUT_MS: z.coerce.number().int().min(100).max(60_000).default(8_000).describe('How long such a provider has for an answer'),
  SESSION_SECONDS: seconds(1_209_600).describe('Lifetime of a sign-in session'),
});

export type PassportSettings = z.infer<typeof passportSettings>;

/** For providers that need settings: `@Inject(PASSPORT_SETTINGS) settings: PassportSettings`. */
export const PASSPORT_SETTINGS = Symbol('passport settings');
