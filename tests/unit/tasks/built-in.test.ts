/** What holds for every built-in game, at every difficulty tried here. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/random/random.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';
import { taskByName } from '../../../src/tasks/registry.ts';
import type { Problem, Task, Verdict } from '../../../src/tasks/types.ts';

/** Each game with the options tried. */
const GAMES: { name: string; options: Record<string, unknown> }[] = [
  ...[1, 2, 3].map((digits) => ({ name: 'duo-addition', options: { digits } })),
  { name: 'secret', options: {} },
  ...['reverse', 'sort'].flatMap((goal) => [3, 4, 8].map((length) => ({ name: 'reversing', options: { goal, length } }))),
  ...[2, 3, 4].map((terms) => ({ name: 'comparison', options: { terms } })),
  ...[2, 3, 4].flatMap((numbers) => [false, true].map((products) => ({ name: 'countdown', options: { numbers, products } }))),
  ...[[3, 0], [3, 1], [4, 2], [5, 3]].map(([size, walls]) => ({ name: 'walk', options: { size, walls } })),
  ...[0, 12, 32].map((noise) => ({ name: 'relay', options: { noise, graderNoise: 0 } })),
];

/** The verdict on answers, one a turn. */
async function judged(task: Task, problem: Problem, answers: readonly string[], seed = 0): Promise<Verdict> {
  return task.verify(problem, answers.at(-1) ?? '', { answers, random: new Random(seed) });
}

/** The problem's own answer, a word a turn where the game takes turns. */
function ownAnswers(task: Task, problem: Problem): string[] {
  return task.isOver ? problem.answer.split(' ') : [problem.answer];
}

describe.each(GAMES.map(({ name, options }) => ({ name, options, title: `${name} ${JSON.stringify(options)}` })))('$title', ({ name, options }) => {
  const task = taskByName(name, options);
  const sample = (seed: number, count = 80): Problem[] => {
    const random = new Random(seed);
    return Array.from({ length: count }, () => task.train(random));
  };
  const problems = [...sample(1), ...task.heldOut(40, 1)];

  it('takes the own answer of every problem, white space around it or not', async () => {
    for (const problem of problems) {
      const answers = ownAnswers(task, problem);
      expect((await judged(task, problem, answers)).reward, problem.id).toBe(1);
      expect((await judged(task, problem, answers.map((one) => ` ${one}\n`))).reward, problem.id).toBe(1);
    }
  });

  it('takes no changed answer', async () => {
    const random = new Random(5);
    for (const problem of problems) {
      const answers = ownAnswers(task, problem);
      const last = answers.at(-1) ?? '';
      for (const wrong of [`${last}0`, `${random.int(1, 9)}${last}`, last.slice(0, -1), `${last} ${last}`, '', 'easy']) {
        expect((await judged(task, problem, [...answers.slice(0, -1), wrong])).reward, `${problem.id} answered ${wrong}`).toBe(0);
      }
    }
  });

  it('gives verdicts of the parts it names, all within [0, 1]', async () => {
    for (const problem of problems.slice(0, 30)) {
      const { reward, parts } = await judged(task, problem, ['7', 'left', '1+1']);
      expect(Object.keys(parts).sort()).toEqual([...task.parts].sort());
      for (const value of [reward, ...Object.values(parts)]) expect(value >= 0 && value <= 1).toBe(true);
    }
  });

  it('lets no held-out problem into training', () => {
    const heldOut = new Set([1, 2, 3].flatMap((seed) => task.heldOut(100, seed).map(({ id }) => id)));
    expect(sample(9, 600).filter(({ id }) => heldOut.has(id))).toEqual([]);
  });

  it('makes the same problems from the same seed, and others from another', () => {
    expect(sample(4, 20)).toEqual(sample(4, 20));
    expect(sample(4, 20)).not.toEqual(sample(5, 20));
    expect(task.heldOut(20, 3)).toEqual(task.heldOut(20, 3));
    expect(task.heldOut(40, 3)).toHaveLength(40);
  });

  it('never throws, whatever is answered', async () => {
    const [problem] = problems;
    if (!problem) throw new Error('no problem');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.constantFrom('('.repeat(5000), '9'.repeat(4000), '1+'.repeat(3000), '__proto__', '\u0000', '-', '=', '1=1=1')), { maxLength: 4 }), async (answers) => {
        const { reward } = await judged(task, problem, answers);
        expect(reward === 0 || reward === 1).toBe(true);
        expect(typeof (task.respond?.(problem, answers) ?? '')).toBe('string');
        expect(typeof (task.isOver?.(problem, answers) ?? false)).toBe('boolean');
      }),
      { numRuns: 60 },
    );
  });

  it('has a chance level within [0, 1] and something to say about itself', () => {
    expect(task.chance).toBeGreaterThanOrEqual(0);
    expect(task.chance).toBeLessThan(1);
    expect(task.description).toMatch(/\.$/);
  });
});

describe('comparison', () => {
  it('has the three answers equally often, so that a constant one scores a third', () => {
    const random = new Random(2);
    const task = taskByName('comparison');
    const counts = new Map<string, number>();
    for (let i = 0; i < 3000; i++) {
      const { answer } = task.train(random);
      counts.set(answer, (counts.get(answer) ?? 0) + 1);
    }
    for (const side of ['left', 'right', 'same']) expect(Math.abs((counts.get(side) ?? 0) / 3000 - 1 / 3)).toBeLessThan(0.03);
  });
});

describe('countdown', () => {
  const task = taskByName('countdown');
  const problem: Problem = { id: 'x', question: 'make 6 from 3 5 8', answer: '8+3-5' };
  const rewardOf = async (answer: string): Promise<number> => (await judged(task, problem, [answer])).reward;

  it('counts any right expression, and no other', async () => {
    for (const right of ['8+3-5', '3-5+8', '(8-5)+3', '8 + 3 - 5 = 6', '(3+8)-5']) expect(await rewardOf(right), right).toBe(1);
    for (const wrong of ['6', '3+3', '8-5+3=7', '8+3-5=6=6', '8+3-5;6', '8-2', '11-5', '8+3-5+0', '--8+3-5', '2*3', '3+5-8', 'Math.max(6)']) expect(await rewardOf(wrong), wrong).toBe(0);
  });

  it('says whether an expression is legal though it misses', async () => {
    expect((await judged(task, problem, ['3+5'])).parts).toEqual({ correct: 0, legal: 1 });
    expect((await judged(task, problem, ['3+3'])).parts).toEqual({ correct: 0, legal: 0 });
  });

  it('multiplies before it adds', async () => {
    const product = taskByName('countdown', { products: true });
    expect((await judged(product, { id: 'y', question: 'make 13 from 3 5 2', answer: '3+5*2' }, ['3+5*2'])).reward).toBe(1);
  });
});

describe('walk', () => {
  const task = taskByName('walk');
  const problem: Problem = { id: 'w', question: 'walk from a1', secret: 'flag c1 wall b1', answer: '' };

  it('leaves the walker where it is at a wall, at the border and for words that are no direction', () => {
    for (const word of ['right', 'up', 'left', 'north', '', 'up up']) expect(task.respond?.(problem, [word])).toBe('now a1');
    expect(task.respond?.(problem, ['down', ' RIGHT '])).toBe('now b2');
  });

  it('is over at the flag, which stays reached', async () => {
    const way = ['down', 'right', 'right', 'up'];
    expect(way.map((_, k) => task.isOver?.(problem, way.slice(0, k + 1)))).toEqual([false, false, false, true]);
    expect((await judged(task, problem, [...way, 'down'])).reward).toBe(1);
  });

  it('knows how much of the way was covered', async () => {
    expect((await judged(task, problem, ['down', 'right'])).parts).toEqual({ arrived: 0, nearer: 0.5 });
    expect((await judged(task, { ...problem, secret: 'flag b1' }, ['down'])).parts).toEqual({ arrived: 0, nearer: 0 });
  });
});

describe('relay', () => {
  it('errs as often as it is told, by chance of its own that is the same whenever an episode is played again', async () => {
    const task = taskByName('relay', { graderNoise: 0.2 });
    const [problem] = task.heldOut(1, 1);
    if (!problem) throw new Error('no problem');
    const verdicts = await Promise.all(Array.from({ length: 2000 }, (_, seed) => judged(task, problem, [problem.answer], seed)));
    expect(verdicts.every(({ parts }) => parts.correct === 1)).toBe(true);
    expect(Math.abs(verdicts.filter(({ reward }) => reward === 1).length / 2000 - 0.8)).toBeLessThan(0.03);
    expect(await judged(task, problem, [problem.answer], 7)).toEqual(verdicts[7]);
    expect(task.ceiling).toBe(0.8);
    expect(task.chance).toBeCloseTo(0.26);
  });
});

describe('weights of parts', () => {
  const options = { numbers: 3, products: false };
  const problem: Problem = { id: 'x', question: 'make 6 from 3 5 8', answer: '8+3-5' };

  it('make the reward the weighted sum of the parts, kept within [0, 1]', async () => {
    const task = taskByName('countdown', options, { correct: 0.8, legal: 0.2 });
    expect((await judged(task, problem, ['3+5'])).reward).toBeCloseTo(0.2);
    expect((await judged(task, problem, ['8+3-5'])).reward).toBeCloseTo(1);
    expect((await judged(taskByName('countdown', options, { correct: 5 }), problem, ['8+3-5'])).reward).toBe(1);
    expect((await judged(taskByName('countdown', options, { legal: -1 }), problem, ['8+3-5'])).reward).toBe(0);
  });

  it('leave the task as it is where there are none', async () => {
    expect((await judged(taskByName('countdown', options, {}), problem, ['3+5'])).reward).toBe(0);
  });

  it('are refused for parts that the task does not have, with those that it has', () => {
    for (const name of ['speed', 'toString', '__proto__']) {
      try {
        taskByName('countdown', options, JSON.parse(`{"${name}": 1}`) as Record<string, number>);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(PlaygroundError);
        expect(error).toMatchObject({ code: 'task-weights', hint: 'Its parts are: correct, legal.' });
      }
    }
  });
});
