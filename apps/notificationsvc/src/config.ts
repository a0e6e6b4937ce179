import { jobSettings, leaseSetting } from '@twinyard/jobs';
import { baseSettings, fairShareSettings } from '@twinyard/service-kit';
import { mailSettings } from '@twinyard/service-kit/mail';
import { z } from 'zod';

export const environment = process.env;

export const notificationsvcSettings = baseSettings.extend({
  ...fairShareSettings,
  ...jobSettings,
  ...mailSettings,
  WEBHOOK_ALLOW_PRIVATE: z.enum(['true', 'false']).default('false').transform((value) => value === 'true').describe('Whether webhooks may call private addresses'),
  NOTIFICATIONS_PER_HOUR: z.coerce.number().int().min(1).default(60).describe('Notifications to one mailbox or webhook address in an hour, of all namespaces; more are skipped'),
  CONFIRMATIONS_PER_DAY: z.coerce.number().int().min(1).default(3).describe('Confirmation mails to one mailbox in a day, of all namespaces'),
  CONFIRMATIONS_OF_NAMESPACE_PER_DAY: z.coerce.number().int().min(1).default(100).describe('Confirmation mails that one namespace causes in a day'),
  DELIVERY_LEASE_MS: leaseSetting('a notification', { leastMs: 30, defaultMs: 6_000 }),
  DELIVERY_CONCURRENCY: z.coerce.number().int().min(1).default(24).describe('Deliveries by one transport that one process has under way'),
  DELIVERY_PER_NAMESPACE: z.coerce.number().int().min(1).default(4).describe('Deliveries of one namespace by one transport that are under way, in all replicas together'),
  DELIVERY_PER_RECEIVER: z.coerce.number().int().min(1).max(1_000).default(2).describe('Of these, those to the same mail device or the same host'),
  WEBHOOK_DEADLINE_MS: z.coerce.number().int().min(1).default(10_000).describe('Longest time for a webhook, from connecting to its answer'),
  DELIVERY_ATTEMPTS: z.coerce.number().int().min(1).default(8).describe('Attempts before a notification is given up'),
  DELIVERY_RETRY_MS: z.coerce.number().int().min(1).default(2_000).describe('Wait before the second attempt; doubled each time'),
});

export type NotificationsvcSettings = z.infer<typeof notificationsvcSettings>;

/** `@Inject(SETTINGS) settings: NotificationsvcSettings` */
export const SETTINGS = Symbol('notificationsvc settings');
