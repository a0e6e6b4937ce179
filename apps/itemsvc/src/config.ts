import { baseSettings } from '@twinyard/service-kit';
import type { z } from 'zod';

export const environment = process.env;

export const itemSettings = baseSettings;

export type ItemSettings = z.infer<typeof itemSettings>;

/** For providers that need settings: `@Inject(ITEM_SETTINGS) settings: ItemSettings`. */
export const ITEM_SETTINGS = Symbol('item settings');
