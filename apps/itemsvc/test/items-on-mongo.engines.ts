import { readdirSync } from 'node:fs';
import { runOnMongo } from './on-mongo';
import { SEARCHED_ON_MONGO } from './searches-on-mongo';

const all = readdirSync(__dirname).filter((name) => name.endsWith('.http.spec.ts')).map((name) => name.replace('.http.spec.ts', ''));

// Every spec that the other file does not run: a new one is run here.
runOnMongo(all.filter((name) => !SEARCHED_ON_MONGO.includes(name)));
