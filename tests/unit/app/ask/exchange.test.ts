import { describe, expect, it } from 'vitest';
import { answerOf, heard, newExchange, whyNot, type Exchange } from '../../../../src/app/ask/exchange.ts';
import type { AnswerNews } from '../../../../src/marft/ask.ts';

const asked = { question: '1+1=?', greedy: false };
const token = (text: string): AnswerNews => ({ type: 'tokens', tokens: [{ id: 1, text, logprob: -0.5 }] });
const turn = (agent: string): AnswerNews => ({ type: 'turn', agent, prompt: 'p' });
const said = (text: string): AnswerNews => ({ type: 'said', text, truncated: false });

function after(...news: ['base' | 'trained', AnswerNews][]): Exchange {
  return news.reduce((exchange, [side, one]) => heard(exchange, side, one), newExchange(asked, 3, '2'));
}

describe('an exchange', () => {
  it('gathers each side’s tokens under the turn they belong to', () => {
    const { answers } = after(['base', turn('a')], ['base', token('x')], ['base', token('y')], ['base', said('xy')], ['base', turn('b')], ['base', token('z')], ['trained', turn('a')]);
    expect(answers.base.map(({ agent, tokens, text }) => [agent, tokens.map((one) => one.text).join(''), text])).toEqual([
      ['a', 'xy', 'xy'],
      ['b', 'z', null],
    ]);
    expect(answers.trained).toEqual([{ agent: 'a', prompt: 'p', tokens: [], text: null, truncated: false }]);
  });

  it('has a base team’s answer once the trained team’s turn has come, and the trained team’s when all is complete', () => {
    const base: ['base' | 'trained', AnswerNews][] = [['base', turn('a')], ['base', said(' 2\n')]];
    expect(answerOf(after(...base), 'base')).toBeNull();
    const both = after(...base, ['trained', turn('a')], ['trained', said('3')]);
    expect([answerOf(both, 'base'), answerOf(both, 'trained')]).toEqual(['2', null]);
    expect(answerOf({ ...both, state: 'complete' }, 'trained')).toBe('3');
    expect(answerOf({ ...both, state: 'stopped' }, 'trained')).toBeNull();
  });
});

describe('a team', () => {
  it('can be asked between two iterations and after the last', () => {
    expect(whyNot({ status: 'open', atRest: true, held: false })).toBeNull();
    expect(whyNot({ status: 'finished', atRest: true, held: false })).toBeNull();
  });

  it.each([
    ['idle', 'press Train'],
    ['opening', 'being loaded'],
    ['training', 'Pause, then ask'],
    ['pausing', 'then it can be asked'],
    ['broken', 'Restart it'],
  ] as const)('cannot be asked while it is %s, and a sentence says why', (status, words) => {
    expect(whyNot({ status, atRest: false, held: false })).toContain(words);
  });

  it('cannot be asked while an iteration waits in the middle', () => {
    expect(whyNot({ status: 'training', atRest: false, held: true })).toContain('Finish it');
  });
});
