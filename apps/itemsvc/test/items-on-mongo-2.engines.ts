import { runOnMongo } from './on-mongo';

runOnMongo(2);
