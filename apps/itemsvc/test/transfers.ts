import { request as send } from 'node:http';
import { Readable } from 'node:stream';
import type { Answer, ItemService, Json } from './item-service';

export interface Sent {
  readonly query?: Record<string, unknown>;
  readonly as?: string;
  readonly nsfilter?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a body piece by piece, its length unknown beforehand. */
export async function upload(items: ItemService, path: string, body: string | Buffer | AsyncIterable<Buffer>, { query = {}, as = 'alice', nsfilter, headers = {} }: Sent = {}): Promise<Answer> {
  const { url, token } = await items.address(path, { query, as, ...(nsfilter && { nsfilter }) });
  const source = typeof body === 'string' || Buffer.isBuffer(body) ? [Buffer.from(body)].filter(({ length }) => length > 0) : body;
  return new Promise((resolve, reject) => {
    const request = send(url, { method: 'POST', headers: { authorization: `Bearer ${token}`, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode ?? 0, text, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Json, headers: response.headers as Record<string, string> });
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    Readable.from(source).on('error', (error) => request.destroy(error)).pipe(request);
  });
}

/** The end of an import: its final answer, and how far it was. */
export async function imported(items: ItemService, item: Json, body: Parameters<typeof upload>[2], sent: Sent & { readonly readings?: boolean } = {}): Promise<Json> {
  const accepted = await upload(items, `nameduseritems/${item._id}/relateditems/${sent.readings ? 'readings/' : ''}import`, body, sent);
  if (accepted.status !== 202) throw new Error(`${accepted.status} ${accepted.text}`);
  return items.finished(accepted, sent.as);
}

export async function exported(items: ItemService, item: Json, query: Record<string, unknown> = {}, { readings = false, as = 'alice' } = {}): Promise<Answer> {
  return items.get(`nameduseritems/${item._id}/relateditems/${readings ? 'readings/' : ''}export`, { query, as });
}
