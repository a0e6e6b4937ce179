/** @jest-environment node */
import type * as Loads from './loads';
import { loads } from './loads';

jest.mock('./loads', () => ({ loads: () => 'mocked' }));

it('mocks a module in a world of its own', () => {
  expect(loads()).toBe('mocked');
});

it('finds nothing there that the world of others keeps on its global object', () => {
  const { worldsThatShare } = jest.requireActual<typeof Loads>('./loads');
  expect(worldsThatShare()).toBe(1);
});
