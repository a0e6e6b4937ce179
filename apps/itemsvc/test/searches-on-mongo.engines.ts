import { runOnMongo } from './on-mongo';
import { SEARCHED_ON_MONGO } from './searches-on-mongo';

runOnMongo(SEARCHED_ON_MONGO);
