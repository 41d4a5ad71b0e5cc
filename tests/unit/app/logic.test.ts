import { describe, expect, it } from 'vitest';
import { klChart, rewardChart } from '../../../src/app/logic/chart-models.ts';
import { channelExtent, tokenColour, visibleText } from '../../../src/app/logic/channels.ts';
import { toggleArrow } from '../../../src/app/logic/dependency.ts';
import { changedParts } from '../../../src/app/logic/differences.ts';
import { sortEpisodes } from '../../../src/app/logic/episodes.ts';
import { formatDuration, formatNumber, formatSigned } from '../../../src/app/logic/format.ts';
import { keepIteration, type KeptIteration } from '../../../src/app/logic/kept-iterations.ts';
import { parseRecordedRun, runDocument } from '../../../src/app/logic/recorded-run.ts';
import { Pace } from '../../../src/app/logic/time-left.ts';
import { TransferRate } from '../../../src/app/logic/transfer-rate.ts';
import { presetByName } from '../../../src/experiment/presets.ts';
import type { EpisodeRecord, MetricRow, TokenRecord } from '../../../src/marft/records.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';

function token(changes: Partial<TokenRecord> = {}): TokenRecord {
  const zeros = { logprob: 0, newLogprob: null, ratio: null, entropy: 0, refKl: 0, value: 0, advantage: 0, reward: 0, delta: 0 };
  return { id: 1, text: 'a', ...zeros, ...changes };
}

function episode(number: number, reward: number, tokens: TokenRecord[] = [token()]): EpisodeRecord {
  return {
    iteration: 1,
    episode: number,
    question: '1+1=?',
    privateQuestions: {},
    expected: '2',
    reward,
    rewardParts: { correct: reward },
    utterances: [{ agent: 'solver', prompt: '', text: '2', truncated: false, tokens }],
  };
}

describe('numbers', () => {
  it('have a real minus sign, and none in front of nothing', () => {
    expect(formatNumber(-0.5, 2)).toBe('−0.50');
    expect(formatNumber(-0.0001, 2)).toBe('0.00');
    expect(formatNumber(undefined)).toBe('–');
    expect(formatSigned(0.25, 2)).toBe('+0.25');
    expect(formatSigned(0, 2)).toBe('0.00');
  });

  it('of seconds read as durations', () => {
    expect([8.4, 80, 120, 7500].map(formatDuration)).toEqual(['8 s', '1 min 20 s', '2 min', '2 h 5 min']);
  });
});

describe('kept iterations', () => {
  it('stay within the limit, keep the first and the newest, and spread evenly', () => {
    let kept: KeptIteration[] = [];
    for (let iteration = 1; iteration <= 1000; iteration++) kept = keepIteration(kept, { iteration, episodes: [] }, 10);
    const numbers = kept.map(({ iteration }) => iteration);
    expect(numbers).toHaveLength(10);
    expect([numbers[0], numbers.at(-1)]).toEqual([1, 1000]);
    const gaps = numbers.slice(1).map((number, k) => number - (numbers[k] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(300);
  });
});

describe('the time left', () => {
  it('comes from the median of the last ten iterations, so that one slow one does not matter', () => {
    const pace = new Pace();
    expect(pace.secondsPerIteration()).toBeNull();
    for (const seconds of [100, ...Array<number>(9).fill(2), 50, 2]) pace.add(seconds);
    expect(pace.secondsPerIteration()).toBe(2);
  });
});

describe('the reward chart', () => {
  const rows: MetricRow[] = [
    { iteration: 0, 'eval/reward': 0.25, 'eval/reward_greedy': 0.1 },
    { iteration: 1, 'reward/mean': 0.3 },
  ];

  it('compares with the team before training and with chance', () => {
    const { levels, series, x } = rewardChart({ rows, agents: [], chance: 0.01, iterations: 40 });
    expect(x).toEqual([0, 1]);
    expect(levels.map(({ value }) => value)).toEqual([0.25, 0.01]);
    expect(series.map(({ values }) => values)).toEqual([[null, 0.3], [0.25, null], [0.1, null]]);
  });
});

describe('the KL chart', () => {
  it('is not flattened by one outlier, and says that there is one', () => {
    const rows = Array.from({ length: 40 }, (_, k): MetricRow => ({ iteration: k + 1, 'solver/ref_kl': k === 20 ? 5 : 0.1 }));
    const chart = klChart({ rows, agents: ['solver'], chance: null, iterations: 40 });
    expect(chart.yLimits(0, 5)[1]).toBeLessThan(0.5);
    expect(chart.pointsAbove).toBe(1);
    const calm = klChart({ rows: rows.slice(0, 20), agents: ['solver'], chance: null, iterations: 40 });
    expect(calm.pointsAbove).toBe(0);
  });
});

describe('token colours', () => {
  it('say sign and size; the largest of the iteration gets the full colour', () => {
    const episodes = [episode(0, 1, [token({ advantage: -0.5 }), token({ advantage: 0.25 })])];
    const extent = channelExtent(episodes, 'advantage');
    expect(extent).toBe(0.5);
    expect(tokenColour(token({ advantage: -0.5 }), 'advantage', extent)).toContain('--scale-negative) 100.0%');
    expect(tokenColour(token({ advantage: 0.25 }), 'advantage', extent)).toContain('--scale-positive) 50.0%');
    expect(tokenColour(token(), 'entropy', 0)).toContain('0.0%');
  });

  it('come with white space that can be seen', () => {
    expect(['a b', '\n', ''].map(visibleText)).toEqual(['a␣b', '⏎', '∅']);
  });
});

describe('episodes', () => {
  it('are sorted by reward, equal ones as played', () => {
    const played = [episode(0, 0), episode(1, 1), episode(2, 0), episode(3, 1)];
    expect(sortEpisodes(played, 'best').map(({ episode: number }) => number)).toEqual([1, 3, 0, 2]);
    expect(sortEpisodes(played, 'worst').map(({ episode: number }) => number)).toEqual([0, 2, 1, 3]);
  });
});

describe('D', () => {
  const { team } = presetByName('duo-addition');

  it('is written as chain or none where it is one of them', () => {
    const cut = toggleArrow(team, 0, 1);
    expect(cut.dependency).toBe('none');
    expect(toggleArrow(cut, 0, 1).dependency).toBe('chain');
  });

  it('refuses an arrow out of the answer', () => {
    expect(() => toggleArrow(team, 1, 0)).toThrow(PlaygroundError);
  });
});

describe('changes since a run began', () => {
  it('are named', () => {
    const then = presetByName('duo-addition');
    expect(changedParts(then, then)).toEqual([]);
    expect(changedParts({ ...then, seed: 9, team: { ...then.team, dependency: 'none' } }, then)).toEqual(['who hears whom (D)', 'the seed']);
    expect(changedParts(presetByName('secret'), then)).toEqual(['the preset']);
  });
});

describe('a run in a file', () => {
  const experiment = presetByName('duo-addition');
  const metrics: MetricRow[] = [{ iteration: 1, 'reward/mean': 0.5 }];

  it('comes back as it was', () => {
    const text = runDocument(experiment, metrics, [{ iteration: 1, episodes: [episode(0, 1)] }]);
    const run = parseRecordedRun(JSON.parse(text));
    expect(run).toMatchObject({ experiment, metrics, episodes: [episode(0, 1)] });
    expect(run.chance).toBeGreaterThan(0);
  });

  it('is refused when a part is not what it should be', () => {
    expect(() => parseRecordedRun({ experiment, metrics: [{ iteration: 'one' }], episodes: [] })).toThrow();
    expect(() => parseRecordedRun({ experiment: {}, metrics, episodes: [] })).toThrow();
  });
});

describe('the rate of a transfer', () => {
  it('is that of the last seconds, and not known before two tidings', () => {
    const rate = new TransferRate();
    rate.add(0, 1000);
    expect(rate.bytesPerSecond()).toBeNull();
    rate.add(1, 3000);
    expect(rate.bytesPerSecond()).toBe(2000);
    for (let second = 2; second <= 20; second++) rate.add(second, 3000 + (second - 1) * 10);
    expect(rate.bytesPerSecond()).toBe(10);
  });
});
