import { runOnMongo } from './on-mongo';

runOnMongo(1);
