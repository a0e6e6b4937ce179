// `platform.files`.
import { toBase64 } from './base64.mjs';
import { listOf, placed } from './calls.mjs';

const FILES = '/filesvc/api/v1/files';
const MOST = 200;
const { parse } = JSON;

const pathOf = (id, tail = '') => `${FILES}/${encodeURIComponent(id)}${tail}`;

export function filesOf(request, { namespaces }) {
  /** Behind the address that is signed for it. */
  const text = async (id, { versionId, encoding } = {}) => {
    const { body: { _url } } = await request('GET', pathOf(id, versionId === undefined ? '/url' : `/versions/${encodeURIComponent(versionId)}/url`));
    // What is behind the version is a name, which nobody reads there.
    const [, version, signature] = /\/content\/([^/?]+)[^?]*\?(.*)$/.exec(_url);
    return (await request('GET', `/filesvc/api/v1/content/${version}/content?${signature}`, { isText: true, encoding })).body;
  };
  return {
    list: ({ parent, pageSize, ...filter } = {}) => listOf(request, parent === undefined ? FILES : pathOf(parent, '/children'), { query: filter, pageSize, most: MOST }),
    get: placed(async (id) => (await request('GET', pathOf(id))).body),
    versions: (id, { pageSize } = {}) => listOf(request, pathOf(id, '/versions'), { pageSize, most: MOST }),
    text: placed(text),
    json: placed(async (id, options) => parse(await text(id, options))),
    upload: placed(async (name, content, { parent, tags, type, namespaces: wanted = namespaces } = {}) => {
      const bytes = content instanceof Uint8Array ? { base64: toBase64(content) } : { text: String(content) };
      const { body } = await request('POST', FILES, { query: { _namespaces: wanted, _parents: parent, _tags: tags }, file: { name, type, ...bytes } });
      return body[0];
    }),
  };
}
