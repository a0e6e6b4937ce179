import { describeWorld } from './describe-world';

describe('a spec file', describeWorld);
