import { loadSettings, SettingsError } from '@twinyard/service-kit';
import type { z } from 'zod';
import { definitionOf } from '../openapi/describe-services';
import { type ImageName } from '../images/image';
import { gatewayVariables } from '../platform/gateway/config';

/** Name → value, or `undefined` where the value is a secret that only the deployment knows. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What a process reads, by its own `config.ts`. */
export async function schemaOf(image: ImageName): Promise<z.ZodObject> {
  return image === 'gateway' ? gatewayVariables : (await definitionOf(image)).settings;
}

/** What a setting is when nobody gives it. */
export const defaultOf = (schema: z.ZodObject, name: string): unknown => (schema.shape[name] as z.ZodType | undefined)?.parse(undefined);

/** Settings whose values are nobody's business; they never stand in a file of the repository. */
export const isSecret = (name: string) => /PASSWORD|TOKEN|SECRET|_KEY$|KEY_ENCRYPTION|^DATABASE_URL$|^MONGO_URL$/.test(name);

/** Stand for secrets: of the right shape, so that what is checked is whether they are given. */
const SAMPLES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgresql://sample:sample@postgres:5432/sample',
  MONGO_URL: 'mongodb://sample:sample@mongo:27017/sample',
  SMTP_URL: 'smtp://sample:sample@mail.example.com:587',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};
const SAMPLE = 'a sample of thirty-two letters or more';

/** What the service would say of these variables at its start, and which of them it would never read. */
export function variableFaults(who: string, variables: Variables, schema: z.ZodObject): string[] {
  const given = Object.entries(variables).map(([name, value]) => [name.replace(/_FILE$/, ''), value, name] as const);
  const unknown = given.filter(([name]) => !(name in schema.shape)).map(([, , written]) => `${who}: ${written} is no setting of it`);
  const environment = Object.fromEntries(given.map(([name, value, written]) => [name, written === name && value !== undefined ? value : (SAMPLES[name] ?? SAMPLE)]));
  const open = given.filter(([name, value, written]) => isSecret(name) && written === name && value !== undefined).map(([name]) => `${who}: ${name} is a secret and stands in the open`);
  try {
    loadSettings(schema, environment);
    return [...unknown, ...open];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [...unknown, ...open, ...error.faults.map((fault) => `${who}: ${fault}`)];
  }
}
