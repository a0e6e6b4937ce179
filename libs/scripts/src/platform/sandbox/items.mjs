// `platform.items` and `platform.readings`.
import { inParts, listOf, placed } from './calls.mjs';
import { idsFrom } from './object-ids.mjs';

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const MOST = 5_000;

const pathOf = (id, tail = '') => `${ITEMS}/${encodeURIComponent(id)}${tail}`;
const versionOf = ({ versionId } = {}) => ({ userItemVersionId: versionId });
const listing = ({ sort, project, pageSize } = {}) => ({ query: { sort, project }, pageSize, most: MOST });

export function itemsOf(request, { namespaces, seed }) {
  const newId = idsFrom(seed);
  const find = (query, options) => {
    const { query: more, ...terms } = listing(options);
    return listOf(request, ITEMS, { ...terms, query: { query, ...more } });
  };
  const drafted = (draft) => ({ _description: '', _namespaces: namespaces, ...draft });
  return {
    find,
    findOne: placed(async (query, options) => (await find(query, { ...options, pageSize: 1 }).next()).value),
    create: placed(async (drafts) => {
      const { body } = await request('POST', ITEMS, { body: [drafts].flat().map(drafted) });
      return Array.isArray(drafts) ? body._list : body._list[0];
    }),
    update: placed(async (id, changes) => {
      const { body: { _name, _description, _namespaces, _userType } } = await request('GET', pathOf(id));
      await request('PUT', pathOf(id), { body: { _name, _description, _namespaces, _userType, ...changes } });
    }),
    remove: placed(async (id) => {
      await request('DELETE', pathOf(id));
    }),
    related: (id, version) => Object.freeze(relatedOf(request, { id, version: versionOf(version), newId })),
  };
}

function relatedOf(request, { id, version, newId }) {
  const [one, bulk] = [pathOf(id, '/relateditems'), pathOf(id, '/relateditems/bulk')];
  const change = (method, path, more) => async (part) => (await request(method, path, { query: version, body: part, ...more })).body;
  return {
    list: (query, options) => {
      const { query: more, ...terms } = listing(options);
      return listOf(request, one, { ...terms, query: { ...version, query, ...more } });
    },
    create: placed(async (items) => {
      const { _list } = await change('POST', one)([items].flat());
      return Array.isArray(items) ? _list : _list[0];
    }),
    // With ids of their own they are made once, however often they are sent.
    bulk: placed(async (items) => {
      const named = items.map((item) => (item._id === undefined ? { ...item, _id: newId() } : item));
      await inParts(named, change('POST', bulk, { isRepeatable: true }));
      return named.map(({ _id }) => _id);
    }),
    update: placed(async (items) => {
      await inParts([items].flat(), change('PUT', bulk));
    }),
    remove: placed(async (which) => {
      if (typeof which === 'string' || Array.isArray(which)) await inParts([which].flat(), change('DELETE', one));
      else await request('DELETE', bulk, { query: { ...version, query: which } });
    }),
    relate: placed(async (relations) => {
      await inParts([relations].flat(), change('PUT', pathOf(id, '/relationships/bulk')));
    }),
    search: placed(async ({ parent, ...what } = {}) => {
      const collectionDesc = /^[0-9a-f]{24}$/.test(id) ? { _id: id } : { _userItemId: id };
      const { body } = await request('POST', `${ITEMS}/search`, { body: { query: { $findWithRelated: { ...what, parent: { ...parent, collectionDesc } } } } });
      return body._list[0]?._versions[0]._relatedItems;
    }),
  };
}

export function readingsOf(request) {
  const list = (id, query, options) => {
    const { query: more, ...terms } = listing(options);
    return listOf(request, pathOf(id, '/relateditems/readings'), { ...terms, query: { ...versionOf(options), query, ...more } });
  };
  return {
    list,
    write: placed(async (id, readings, { onConflict = 'replace', ...version } = {}) => {
      const query = { ...versionOf(version), onConflict };
      const written = await inParts([readings].flat(), async (body) => (await request('POST', pathOf(id, '/relateditems/readings'), { query, body })).body);
      const sum = (name) => written.reduce((total, part) => total + part[name], 0);
      return { _new: sum('_new'), _replaced: sum('_replaced'), _merged: sum('_merged'), _kept: sum('_kept') };
    }),
    aggregate: placed(async (id, pipeline, version) => (await request('POST', pathOf(id, '/relateditems/readings/aggregate'), { query: versionOf(version), body: pipeline })).body._list),
    latest: placed(async (id, telItemId, version) => (await list(id, { '_tsMetadata._telItemId': telItemId }, { ...version, sort: { _ts: -1 }, pageSize: 1 }).next()).value),
  };
}
