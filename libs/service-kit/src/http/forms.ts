import { parse, type ParsedUrlQuery } from 'node:querystring';
import { nameFromBytes, percentDecoded } from '@twinyard/conventions';
import type { FastifyInstance } from 'fastify';

export const FORM = 'application/x-www-form-urlencoded';
/** Bytes. */
export const FORM_BODY_LIMIT = 1024 * 1024;

/** A form of a page (HTML, `application/x-www-form-urlencoded`). What of its names and values is not UTF-8 is Windows-1252 (contract 0.1). */
export const parseForm = (bytes: Buffer): ParsedUrlQuery => ({ ...parse(nameFromBytes(bytes), '&', '=', { decodeURIComponent: decode, maxKeys: 0 }) });

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return nameFromBytes(percentDecoded(text));
  }
}

export function takeForms(instance: FastifyInstance): void {
  instance.addContentTypeParser(FORM, { parseAs: 'buffer', bodyLimit: FORM_BODY_LIMIT }, (_request, body: Buffer, done) => done(null, parseForm(body)));
}
