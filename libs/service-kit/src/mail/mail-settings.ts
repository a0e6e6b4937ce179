import { z } from 'zod';
import type { BaseSettings } from '../settings/settings';

/** What a service takes that sends mail; part of its settings: `baseSettings.extend({ ...mailSettings })`. */
export const mailSettings = {
  SMTP_URL: z.string().regex(/^smtps?:\/\//).optional().describe('Mail server, `smtp://user:password@host:587`; without it each mail is a file in `MAIL_DIR`'),
  MAIL_DIR: z.string().default('mail').describe('Folder of mails when there is no `SMTP_URL`'),
  MAIL_FROM: z.string().default('Twinyard <no-reply@localhost>').describe('Sender of mails whose sender record names no address'),
  MAIL_DEADLINE_MS: z.coerce.number().int().min(1).default(30_000).describe('Longest time for one mail, from connecting to the last answer of the mail server'),
};

export type MailSettings = z.infer<z.ZodObject<typeof mailSettings>> & Pick<BaseSettings, 'BASE_URL'>;

export const MAIL_SETTINGS = Symbol('mail settings');
