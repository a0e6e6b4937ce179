import { type BodyExamples, EXAMPLE_IDS } from '@twinyard/service-kit';

const { namespace } = EXAMPLE_IDS;

export const examples: BodyExamples = {
  saveTeam: {
    _name: 'Energy', _namespaces: [namespace], _agents: [{ _userType: 'planner' }, { _userType: 'analyst' }],
    _flow: [{ from: '__start__', to: 'planner' }, { from: 'planner', to: 'analyst' }, { from: 'analyst', to: '__end__' }],
  },
};
