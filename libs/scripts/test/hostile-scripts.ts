/** Most ask for memory without end, each in its own way; where a machine is slow, their time may be over first. */
export interface HostileScript {
  readonly name: string;
  readonly body: string;
  /** What ends it where it is not memory. */
  readonly limit?: 'stack' | 'output' | 'time';
}

const keep = (made: string) => `const all = []; for (let n = 0; ; n += 1) all.push(${made});`;

export const HOSTILE_SCRIPTS: readonly HostileScript[] = [
  { name: 'buffers', body: keep('new ArrayBuffer(2 ** 20)') },
  { name: 'small buffers', body: keep('new ArrayBuffer(1000)') },
  { name: 'bytes', body: keep('new Uint8Array(2 ** 20).fill(1)') },
  { name: 'small bytes', body: keep('new Uint8Array(64)') },
  { name: 'doubles', body: keep('new Float64Array(2 ** 16)') },
  { name: 'copies of bytes', body: 'const one = new Uint8Array(2 ** 18); const all = []; for (;;) all.push(one.slice());' },
  { name: 'views', body: 'const one = new ArrayBuffer(8); const all = []; for (;;) all.push(new DataView(one));' },
  { name: 'one huge buffer', body: 'return new ArrayBuffer(2 ** 30).byteLength;' },
  { name: 'strings', body: keep('"x".repeat(2 ** 16) + n') },
  { name: 'wide strings', body: keep('"\\u20ac".repeat(2 ** 16) + n') },
  { name: 'doubled string', body: 'let text = "x"; for (;;) text += text + "y";' },
  { name: 'joined string', body: 'const all = Array(2 ** 16).fill("x".repeat(2 ** 12)); return all.join("").length;' },
  { name: 'padded string', body: keep('"x".padEnd(2 ** 16 + n, "ab")') },
  { name: 'replaced string', body: 'let text = "a"; for (;;) text = text.replace(/a/g, "aa");' },
  { name: 'arrays', body: keep('new Array(1000).fill(n)') },
  { name: 'one array', body: 'const all = []; for (;;) all.push(1);' },
  { name: 'spread arrays', body: 'let all = [1]; for (;;) all = [...all, ...all];' },
  { name: 'nested arrays', body: 'let all = []; for (;;) all = [all];' },
  { name: 'objects', body: keep('({ a: n, b: { c: n } })') },
  { name: 'keys', body: 'const all = {}; for (let n = 0; ; n += 1) all["key" + n] = n;' },
  { name: 'map', body: 'const all = new Map(); for (let n = 0; ; n += 1) all.set(n, [n]);' },
  { name: 'set', body: 'const all = new Set(); for (let n = 0; ; n += 1) all.add("s" + n);' },
  { name: 'weak map', body: 'const all = new WeakMap(), kept = []; for (;;) { const o = {}; kept.push(o); all.set(o, [1]); }' },
  { name: 'closures', body: keep('() => n') },
  { name: 'generators', body: 'function* one() { yield 1; } const all = []; for (;;) { const g = one(); g.next(); all.push(g); }' },
  { name: 'promises', body: keep('Promise.resolve(n).then(() => n)') },
  { name: 'waiting jobs', body: 'const more = () => { Promise.resolve().then(more); Promise.resolve().then(more); }; more(); return new Promise(() => {});' },
  { name: 'async functions', body: 'const one = async () => { await new Promise(() => {}); }; for (const all = []; ;) all.push(one());' },
  { name: 'JSON text', body: 'let value = ["x".repeat(1000)]; for (;;) value = [JSON.stringify(value), JSON.stringify(value)];' },
  { name: 'parsed JSON', body: 'const text = JSON.stringify(Array(1e4).fill({ a: 1 })); for (const all = []; ;) all.push(JSON.parse(text));' },
  { name: 'proxies', body: keep('new Proxy({}, {})') },
  { name: 'symbols', body: keep('Symbol("s".repeat(100) + n)') },
  { name: 'big integers', body: 'const all = []; for (let n = 0n; ; n += 1n) all.push((1n << 100000n) + n);' },
  { name: 'errors', body: keep('new Error("e" + n)') },
  { name: 'dates', body: keep('new Date(n)') },
  { name: 'matches', body: 'const text = "ab".repeat(1e5); for (const all = []; ;) all.push([...text.matchAll(/a/g)]);' },
  { name: 'functions from text', body: keep('new Function("return " + n)') },
  { name: 'sorted copies', body: 'const one = Array.from({ length: 1e4 }, (_, n) => -n); for (const all = []; ;) all.push([...one].sort());' },
  { name: 'thrown null after memory', body: `try { ${keep('new ArrayBuffer(2 ** 16)')} } catch { throw null; }` },
  { name: 'caught memory', body: `for (;;) { try { ${keep('new ArrayBuffer(2 ** 16)')} } catch {} }`, limit: 'time' },
  { name: 'regular expression', body: 'return /^(a+)+$/.test("a".repeat(60) + "!");', limit: 'time' },
  { name: 'recursion', body: 'const down = (n) => down(n + 1) + 1; return down(0);', limit: 'stack' },
  { name: 'getter that calls itself', body: 'return { get a() { return this.a; } }.a;', limit: 'stack' },
  { name: 'output', body: 'return "x".repeat(12e6);', limit: 'output' },
  { name: 'wide output', body: 'return "\\u20ac".repeat(6e6);', limit: 'output' },
];
