import { inWords, lineInWords } from './answers';
import { ATTACKS } from './attacks/table';
import type { Tally } from './scene';
import { shortcomings } from './shortcomings';

const names = Object.keys(ATTACKS);
const every = (heard: Tally[string]): Tally => Object.fromEntries(names.map((name) => [name, heard]));
const UNAUTHENTICATED = inWords(401, '{"message":"Full authentication is required to access this resource","code":"unauthenticated","requestId":"a"}');

/** As much of each as it must have heard, and nothing else. */
const whole = (): Tally => Object.fromEntries(Object.entries(ATTACKS).map(([name, { reached }]) => [name, Object.fromEntries(reached.map(([least, answer = '']) => [answer, least]))]));

describe('attacks', () => {
  it('that get where they aim are what they should be', () => {
    expect(shortcomings(names, whole())).toEqual([]);
    const busy = every({ '429 too_many_requests: Too many': 900, '503 unavailable: Other requests': 9, broken: 3 });
    expect(shortcomings(names, Object.fromEntries(names.map((name) => [name, { ...busy[name], ...whole()[name] }])))).toEqual([]);
  });

  it.each<[string, Tally]>([
    ['that never get a connection', every({ broken: 5_000 })],
    ['that are not made at all', {}],
    ['that hear 429 alone', every({ '429 too_many_requests: Too many requests in a minute': 5_000 })],
  ])('%s are each told of', (_what, tally) => {
    const told = shortcomings(names, tally);
    for (const name of names) expect(told).toContainEqual(expect.stringContaining(`${name} did not get where it aims`));
  });

  it.each([UNAUTHENTICATED, '404 not_found: There is no item', '500 internal: Something went wrong on our side', '502 bad_gateway: itemsvc ended', 'failed: Error: in use'])('are told of that hear %s', (answer) => {
    const others = names.filter((name) => name !== 'randomCredentials' || answer !== UNAUTHENTICATED);
    const told = shortcomings(others, Object.fromEntries(Object.entries(whole()).map(([name, heard]) => [name, { ...heard, [answer]: 1 }])));
    expect(told).toEqual(others.map((name) => `${name}: "${answer}" came 1 times, and nobody expects it`));
  });

  it('are told of by a name that nothing has', () => {
    expect(shortcomings(['slowLoris'], {})).toEqual(['slowLoris: there is no such attack']);
  });
});

describe('answers in words', () => {
  it.each([
    [201, '', '201'],
    [200, '{"_list":[]}', '200'],
    [200, '{"_list":[{"_id":1', '200 rows'],
    [200, '{"_offset":0,"_pageSize":25,"_total":1,"_list":[{"_id":"a"', '200 rows'],
    [200, '{"_offset":0,"_pageSize":8,"_total":12,"_list":[{"_id":"a"', '200 page cut'],
    [400, '{"message":"body: holds \\"a\\" of more","code":"invalid"}', '400 invalid: body: holds \\"a\\" of more'],
    [503, '{"error":"temporarily_unavailable","error_description":"away"}', '503 temporarily_unavailable: away'],
    [502, '<html>', '502 : '],
  ])('%d %s', (status, text, words) => {
    expect(inWords(status, text)).toBe(words);
  });

  it('of lines too', () => {
    expect(lineInWords('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n{"message":"too late","code":"request_timeout"}')).toBe('408 request_timeout: too late');
    expect(lineInWords('HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n{"n":1')).toBe('200');
    expect(lineInWords('SSH-2.0')).toBe('no HTTP');
  });
});
