import { onEngine } from '@twinyard/testing';
import { describeScaledPlatform, SCALED } from './scaled-platform.contract';
import { ENGINES, startOnEngines } from './engine-platform';

onEngine(ENGINES, () => describeScaledPlatform('the engines', () => startOnEngines(SCALED)));
