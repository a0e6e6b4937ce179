import { z } from 'zod';
import { SOURCE_TOPICS, type SourceTopic } from '../rebuild/rebuild-sources';

/** An owner whose things are not measured as its service tells of them, and the numbers of the last event there and here. */
const suspect = z.object({ key: z.string(), told: z.number(), known: z.number() });
export type Suspect = z.infer<typeof suspect>;

/**
 * Where a round stands. Each topic is gone through twice: what its service has, which finds things that are not known here, and what is
 * known here, which finds things that the service does not have any more.
 */
const place = z.object({ topic: z.enum(SOURCE_TOPICS as [SourceTopic, ...SourceTopic[]]), side: z.enum(['there', 'here']), after: z.string().optional() });
export type Place = z.infer<typeof place>;

const round = z.object({
  id: z.uuid(),
  place,
  /** To be looked at once more; then the round goes on at `after`, or is at its end. `waits`: how often that was put off. */
  suspects: z.object({ topic: place.shape.topic, list: z.array(suspect), after: place.optional(), waits: z.number().optional() }).optional(),
  checked: z.number(),
  corrected: z.number(),
});
export type Round = z.infer<typeof round>;

export const reconciliationState = z.object({ round: round.optional(), endedAt: z.iso.datetime().optional() });
export type ReconciliationState = z.infer<typeof reconciliationState>;

export const FIRST_PLACE: Place = { topic: SOURCE_TOPICS[0] as SourceTopic, side: 'there' };

/** `next`: behind which key the next page begins; missing after the last page. `undefined`: that was the end of the round. */
export function placeAfter({ topic, side }: Place, next: string | undefined): Place | undefined {
  if (next !== undefined) return { topic, side, after: next };
  if (side === 'there') return { topic, side: 'here' };
  const following = SOURCE_TOPICS[SOURCE_TOPICS.indexOf(topic) + 1];
  return following && { topic: following, side: 'there' };
}
