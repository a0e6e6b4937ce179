import type { FastifyReply } from 'fastify';
import { PAGE_HEADERS, pageSecurityPolicy } from './page-security';

export interface PageAnswer {
  readonly status?: number;
  /** Where forms of the page end beside our own origin: a browser holds the redirects after a form to it too. */
  readonly formTargets?: readonly string[];
}

export async function sendPage(reply: FastifyReply, page: string, { status = 200, formTargets = [] }: PageAnswer = {}): Promise<void> {
  await reply.status(status).headers({ ...PAGE_HEADERS, 'Content-Security-Policy': pageSecurityPolicy(formTargets) }).type('text/html; charset=utf-8').send(page);
}

/** After a form: its answer is a page of its own, which can be loaded again. */
export async function redirectTo(reply: FastifyReply, location: string): Promise<void> {
  await reply.headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).redirect(location, 303);
}

export type Form = Readonly<Record<string, unknown>>;

/** One value of a form; a field that comes twice counts as none. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
