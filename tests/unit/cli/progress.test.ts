import { describe, expect, it } from 'vitest';
import { duration, Progress } from '../../../src/cli/progress.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';

function screen(interactive: boolean): { terminal: Terminal; text: () => string } {
  let printed = '';
  const print = (text: string): void => void (printed += text);
  return { terminal: { print, complain: print, interactive, onInterrupt: () => () => undefined }, text: () => printed };
}

describe('Progress', () => {
  it('prints one line an iteration with reward, evaluation and the time left', () => {
    const { terminal, text } = screen(false);
    let seconds = 0;
    const progress = new Progress(terminal, 10, () => seconds);
    progress.tell({ type: 'stage', iteration: 1, stage: 'rollout' });
    for (const iteration of [1, 2]) {
      seconds += 2;
      if (iteration === 2) progress.tell({ type: 'evaluation', iteration, evaluation: { problems: 64, sampled: 0.5, greedy: 0.25 } });
      progress.tell({ type: 'iteration', metrics: { iteration, 'reward/mean': 0.25 * iteration }, episodes: [] });
    }
    expect(text()).toBe(
      'iteration  1/10  reward 0.250  18 s left\niteration  2/10  reward 0.500  held-out 0.500 (greedy 0.250)  16 s left\n',
    );
  });

  it('overwrites what is being done where a terminal allows it, and keeps whole iterations', () => {
    const { terminal, text } = screen(true);
    const progress = new Progress(terminal, 1, () => 0);
    progress.tell({ type: 'stage', iteration: 1, stage: 'update', agent: 'solver' });
    progress.tell({ type: 'iteration', metrics: { iteration: 1, 'reward/mean': 1 }, episodes: [] });
    expect(text().split('\r\u001b[2K')).toEqual(['', 'iteration 1/1  updating solver …', 'iteration 1/1  reward 1.000  0 s left\n']);
  });
});

describe('duration', () => {
  it.each([
    [0, '0 s'],
    [59.2, '1 min 00 s'],
    [185, '3 min 05 s'],
    [7800, '2 h 10 min'],
  ])('says %d seconds as %s', (seconds, words) => {
    expect(duration(seconds)).toBe(words);
  });
});
