import { runOnMongo } from './on-mongo';

runOnMongo(3);
