import { baseSettings } from '@twinyard/service-kit';
import { mailSettings } from '@twinyard/service-kit/mail';
import { z } from 'zod';

export const environment = process.env;

export const notificationsvcSettings = baseSettings.extend({
  ...mailSettings,
  WEBHOOK_ALLOW_PRIVATE: z.enum(['true', 'false']).default('false').transform((value) => value === 'true').describe('Whether webhooks may call private addresses'),
  NOTIFICATIONS_PER_HOUR: z.coerce.number().int().min(1).default(60).describe('Notifications to one device in an hour; more are skipped'),
  DELIVERY_POLL_MS: z.coerce.number().int().min(10).default(500).describe('How often an idle delivery looks for work'),
  DELIVERY_LEASE_MS: z.coerce.number().int().min(30).default(6_000).describe('How long a silent worker keeps a notification; then another takes it over'),
  DELIVERY_ATTEMPTS: z.coerce.number().int().min(1).default(8).describe('Attempts before a notification is given up'),
  DELIVERY_RETRY_MS: z.coerce.number().int().min(1).default(2_000).describe('Wait before the second attempt; doubled each time'),
});

export type NotificationsvcSettings = z.infer<typeof notificationsvcSettings>;

/** `@Inject(SETTINGS) settings: NotificationsvcSettings` */
export const SETTINGS = Symbol('notificationsvc settings');
