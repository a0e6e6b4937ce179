import type { RequestListener } from 'node:http';
import { Endpoint } from './endpoint';
import { RestStep, type RestStepOptions } from './rest-step';

describe('the pages of rest_connector', () => {
  let endpoint: Endpoint;
  let other: Endpoint;

  beforeAll(async () => {
    [endpoint, other] = await Promise.all([Endpoint.start(), Endpoint.start()]);
  });
  beforeEach(() => [endpoint, other].forEach((one) => one.reset()));
  afterAll(async () => {
    await endpoint?.stop();
    await other?.stop();
  });

  const run = (paginate: object, params: object = {}, options: RestStepOptions = {}) => new RestStep({ url: `${endpoint.url}/?page=1`, _paginate: paginate, ...params }, options).run();
  /** Three pages, each of which names the next in the header and in the body. */
  const three = (body: (page: number, next: string | null) => unknown): RequestListener => (request, response) => {
    const page = Number(new URL(request.url ?? '', endpoint.url).searchParams.get('page'));
    const next = page < 3 ? `/?page=${page + 1}` : null;
    const headers = next === null ? {} : { link: `</?page=${page - 1}>; rel="prev", <${next}>; rel="next"` };
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body(page, next)));
  };

  it('are one list where each is a list', async () => {
    endpoint.answer = three((page) => [page, page * 10]);
    expect(await run({ next: 'link', max: 10 })).toMatchObject({ status: 200, body: [1, 10, 2, 20, 3, 30], _pages: 3 });
    expect(endpoint.received.map(({ url }) => url)).toEqual(['/?page=1', '/?page=2', '/?page=3']);
  });

  it('are found at a path of the body, and are a list of bodies otherwise', async () => {
    endpoint.answer = three((page, next) => ({ page, paging: { next } }));
    const { body, ...rest } = await run({ next: 'paging.next', max: 3 });
    expect(body).toEqual([1, 2, 3].map((page) => ({ page, paging: { next: page < 3 ? `/?page=${page + 1}` : null } })));
    expect(rest).not.toHaveProperty('_next');
  });

  it('are no more than max, and the answer says where they go on', async () => {
    endpoint.answer = three((page) => [page]);
    const step = new RestStep({ url: `${endpoint.url}/?page=1`, _paginate: { next: 'link', max: 2 } });
    expect(await step.run()).toMatchObject({ body: [1, 2], _pages: 2, _next: `${endpoint.url}/?page=3` });
    expect(step.log).toEqual([`info: GET ${endpoint.url}/ answered 200, 2 pages, there are more`]);
  });

  it('go round in no circle', async () => {
    endpoint.answer = endpoint.json({ next: '/?page=1' });
    await expect(run({ next: 'next', max: 100 })).rejects.toMatchObject({ message: `The pages of ${endpoint.host} go round in a circle: page 1 names one before it as the next` });
    expect(endpoint.received).toHaveLength(1);
  });

  it('have 10 MB together', async () => {
    endpoint.answer = (request, response) => endpoint.json({ text: 'x'.repeat(4 * 1024 ** 2), next: `/?page=${endpoint.received.length + 1}` })(request, response);
    await expect(run({ next: 'next', max: 100 })).rejects.toMatchObject({ status: 400, message: `The answers of ${endpoint.host} have more than the 10 MB that are taken` });
    expect(endpoint.received).toHaveLength(3);
  });

  it('are of hosts that may be called, and another origin is told no secret', async () => {
    const headers = { authorization: 'Bearer {{secret:key}}' };
    other.answer = other.json([2]);
    endpoint.answer = endpoint.json([1], 200, { link: `<${other.url}/2>; rel="next"` });
    const secrets = { key: 'hidden' };
    expect(await run({ next: 'link', max: 9 }, { headers }, { secrets })).toMatchObject({ body: [1, 2] });
    expect([endpoint.received[0]?.headers.authorization, other.received[0]?.headers.authorization]).toEqual(['Bearer hidden', undefined]);
    await expect(run({ next: 'link', max: 9 }, { headers }, { secrets, hosts: endpoint.host })).rejects.toMatchObject({ status: 403, message: expect.stringContaining(`names the host ${other.host}, which is none of`) });
    endpoint.answer = endpoint.json({ next: 'file:///etc/passwd' });
    await expect(run({ next: 'next', max: 9 })).rejects.toMatchObject({ status: 403 });
    endpoint.answer = endpoint.json({ next: 7 });
    await expect(run({ next: 'next', max: 9 })).rejects.toMatchObject({ status: 400, message: `_paginate.next: what the answer of ${endpoint.host} has at next is no address` });
  });
});
