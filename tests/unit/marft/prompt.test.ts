import { describe, expect, it } from 'vitest';
import { createGame } from '../../../src/marft/game.ts';
import { agentMessages, transcriptMessages } from '../../../src/marft/prompt.ts';
import { team } from './doubles.ts';

const AGENTS = [
  { name: 'reader', instruction: 'Pass it on.' },
  { name: 'helper', instruction: '' },
  { name: 'answerer', instruction: 'Answer.' },
];
const PROBLEM = { question: 'What is it?', secret: '7' };
const IDS = [Int32Array.of(11, 12), Int32Array.of(13)];
const SAID = IDS.map((content, agent) => ({ agent, content }));

describe('what an agent is shown', () => {
  const game = createGame(team(AGENTS));

  it('is its profile, the question, the secret for the first agent, and its instruction', () => {
    expect(agentMessages(game, 0, PROBLEM, [])).toEqual([
      { role: 'system', content: ['profile 0'] },
      { role: 'user', content: ['What is it?\nsecret: 7\nPass it on.'] },
    ]);
  });

  it('holds each parent’s sampled ids behind its name, and no line for an empty instruction', () => {
    expect(agentMessages(game, 1, PROBLEM, SAID)[1]?.content).toEqual(['What is it?\nreader: ', IDS[0]]);
    expect(agentMessages(game, 2, PROBLEM, SAID)[1]?.content).toEqual([
      'What is it?\nreader: ',
      IDS[0],
      '\nhelper: ',
      IDS[1],
      '\nAnswer.',
    ]);
  });

  it('has no secret line when there is none', () => {
    expect(agentMessages(game, 0, { question: 'Q' }, [])[1]?.content).toEqual(['Q\nPass it on.']);
  });

  it('tells a secret to the first agent only, even among agents that act at the same time', () => {
    const parallel = createGame(team(AGENTS, { dependency: 'none' }));
    expect(JSON.stringify(agentMessages(parallel, 1, PROBLEM, []))).not.toContain('secret');
  });

  it('holds text where the parent has another tokenizer', () => {
    const said = [{ agent: 0, content: 'seven' }];
    expect(agentMessages(game, 1, PROBLEM, said)[1]?.content).toEqual(['What is it?\nreader: seven']);
  });

  it('names nobody in an anonymous team', () => {
    const anonymous = createGame(team(AGENTS, { roles: 'anonymous' }));
    expect(agentMessages(anonymous, 1, PROBLEM, SAID)).toEqual([
      { role: 'system', content: ['You are agent 2 of a team.'] },
      { role: 'user', content: ['What is it?\nagent 1: ', IDS[0]] },
    ]);
  });

  it('cannot be made before its parents have spoken', () => {
    expect(() => agentMessages(game, 1, PROBLEM, [])).toThrow(RangeError);
  });
});

describe('what the centralised critic is shown', () => {
  it('is everything, in generation order', () => {
    const game = createGame(team(AGENTS, { dependency: 'none' }));
    expect(transcriptMessages(game, PROBLEM, SAID)).toEqual([
      { role: 'system', content: ['Transcript of a team.'] },
      { role: 'user', content: ['What is it?\nsecret: 7'] },
      { role: 'assistant', content: ['reader: ', IDS[0]] },
      { role: 'assistant', content: ['helper: ', IDS[1]] },
    ]);
  });
});
