import { SERVICES } from '@twinyard/conventions';
import { z } from 'zod';

/** Longer than any name or id that the platform gives. */
const text = z.string().min(1).max(512);
const texts = z.array(text).max(10_000);
const service = z.enum(SERVICES);

const principal = z.object({
  type: z.enum(['user', 'client']),
  id: text,
  appId: text.optional(),
  sessionId: text.optional(),
  oauthGrantId: text.optional(),
  tokenId: text.or(z.literal('')), // of who is asked about, and has not come with a token
  scopes: texts,
  profileId: text.optional(),
  run: z.object({ id: text, namespaces: texts }).optional(),
  accessKeyId: text.optional(),
});

/** What the bodies of `PASSPORT_INTERNAL` have to be (`libs/auth/src/passport-protocol.ts`). */
export const INTERNAL_BODIES = {
  sync: z.object({ instance: text, service, acked: z.number().int().min(-1) }),
  resolve: z.object({ service, principal }),
  runTokens: z.object({
    userId: text.optional(), clientId: text.optional(), appId: text.optional(), scopes: texts, profileId: text.optional(), runId: text, namespaces: texts.min(1),
  }),
  assignableProfile: z.object({ principal, profileId: text, namespaces: texts }),
  runSecrets: z.object({ principal, names: texts.max(20) }),
  users: z.object({ ids: z.array(z.string().max(512)).max(10_000) }),
  namespaces: z.object({ namespaces: texts }),
} as const;
