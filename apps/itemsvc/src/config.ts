import { baseSettings, exactlyOneOf } from '@twinyard/service-kit';
import { z } from 'zod';

export const environment = process.env;

/** Without a database in its path the driver would take one named `test`. */
const MONGO_ADDRESS = /^mongodb(\+srv)?:\/\/[^/?]+\/[^/?]+/;

export const itemSettings = baseSettings.omit({ DATABASE_URL: true }).extend({
  ...exactlyOneOf({
    DATABASE_URL: z.string().min(1).describe('PostgreSQL database of this service; this or `MONGO_URL`'),
    MONGO_URL: z.string().regex(MONGO_ADDRESS, 'must be mongodb://…/<database>')
      .describe('MongoDB replica set that keeps all of this service instead, with the database in the path; this or `DATABASE_URL`'),
  }),
  MONGO_ALLOW_STANDALONE: z.enum(['true', 'false']).default('false').transform((value) => value === 'true')
    .describe('Whether `MONGO_URL` may name a server without transactions: for tests only'),
});

export type ItemSettings = z.infer<typeof itemSettings>;

/** For providers that need settings: `@Inject(ITEM_SETTINGS) settings: ItemSettings`. */
export const ITEM_SETTINGS = Symbol('item settings');
