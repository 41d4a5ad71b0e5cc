import { describe, expect, it } from 'vitest';
import { distinctLabel, offeredFiles, offeredLinks, sharedRun } from '../../../../src/app/compare/shared-runs.ts';
import { encodeLink } from '../../../../src/experiment/link/link.ts';
import type { SharedResults } from '../../../../src/experiment/link/parts.ts';
import { writeShareFile } from '../../../../src/experiment/link/share-file.ts';
import { classCode } from '../../../../src/experiment/link/teaching.ts';
import { presetByName } from '../../../../src/experiment/presets.ts';

const experiment = presetByName('micro-addition');
const results: SharedResults = { b: 'wasm', n: 2, x: [1, 2], y: [0.25, 0.5], h: [[0, 0.1, 0.2], [2, 0.3, 0.4]], f: '0123456789abcdef' };
const link = `https://example.org/marft/#${encodeLink(experiment, { results })}`;

describe('links that are offered for a comparison', () => {
  it('are one a line, called by what stands before them, or by their class code', () => {
    const names = offeredLinks(`\nAda: ${link}\n  Grace and Alan  ${link}\n${link}\nnothing but words\n`).map(({ name }) => name);
    expect(names).toEqual(['Ada', 'Grace and Alan', classCode(link), 'nothing but']);
  });

  it('are opened when they are added, and refused with a sentence', async () => {
    const [good, bad] = offeredLinks(`Ada ${link}\nEve https://example.org/#x=AAAA`);
    expect((await good?.open())?.parts).toEqual({ results });
    expect(() => bad?.open()).toThrow('The link is damaged or incomplete.');
  });
});

describe('files that are offered for a comparison', () => {
  it('are called as they are called, without their ending', async () => {
    const file = (name: string): File => new File([writeShareFile(experiment, { results })], name);
    const offered = offeredFiles([file('Ada.marft.json'), file('Grace.json'), file('.marft.json'), file('a'.repeat(200))]);
    expect(offered.map(({ name }) => name)).toEqual(['Ada', 'Grace', 'file', `${'a'.repeat(59)}…`]);
    expect((await offered[0]?.open())?.parts).toEqual({ results });
  });
});

describe('a shared run', () => {
  const opened = (parts: { results?: SharedResults }): Parameters<typeof sharedRun>[1] => ({ experiment, preset: 'micro-addition', changes: { set: {}, dropped: [] }, parts });

  it('has its rewards and what was measured before and after', () => {
    expect(sharedRun('Ada', opened({ results }))).toMatchObject({ name: 'Ada', experiment, rewards: [0.25, 0.5], evaluated: { sampled: 0.3, greedy: 0.4, baseSampled: 0.1, baseGreedy: 0.2 }, failure: null });
  });

  it('goes straight between its points, and is level before the first', () => {
    const { rewards } = sharedRun('Ada', opened({ results: { ...results, n: 7, x: [2, 4, 7], y: [0.2, 0.4, 1], h: [] } }));
    expect(rewards.map((reward) => Number(reward.toFixed(6)))).toEqual([0.2, 0.2, 0.3, 0.4, 0.6, 0.8, 1]);
  });

  it('that has not come to its end was not evaluated', () => {
    expect(sharedRun('Ada', opened({ results: { ...results, n: 1, x: [1], y: [0.25], h: [[0, 0.1, 0.2], [1, 0.3, 0.4]] } })).evaluated).toBeNull();
  });

  it('is none where there are only settings', () => {
    expect(() => sharedRun('Ada', opened({}))).toThrow('There are no results in it, only settings.');
  });

  it('gets a number where its name is taken', () => {
    const groups = [{ label: 'Ada', runs: [] }, { label: 'Ada (2)', runs: [] }];
    expect([distinctLabel('Ada', groups), distinctLabel('Eve', groups)]).toEqual(['Ada (3)', 'Eve']);
  });
});
