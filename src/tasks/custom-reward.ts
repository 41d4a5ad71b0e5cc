/** A reward that a user has written: a function in JavaScript that judges what the team did, run where it reaches nothing. */
import { PlaygroundError } from '../runtime/errors.ts';
import type { Limits, Result, Sandbox } from '../sandbox/types.ts';
import type { Attempt, Task, Verdict } from './types.ts';

/** As an experiment carries it. */
export interface CustomReward {
  /** JavaScript that has a function `reward`. */
  code: string;
}

/** Characters of code at most. */
export const MAX_REWARD_CODE = 20_000;
/** Parts that a function may name. */
const MAX_PARTS = 8;
const PART = /^[a-z][a-zA-Z0-9_-]{0,39}$/;
/** The task's own reward among the parts, and the share of verdicts that failed. */
export const TASK_PART = 'task';
export const ERROR_PART = 'error';

const LIMITS: Limits = { testMs: 1000, totalMs: 1000, memoryBytes: 64 * 1024 * 1024, outputBytes: 64 * 1024 };
/**
 * Verdicts in a row that may be stopped at a limit before the code is not run any more: each of them keeps the training waiting. So many that code which
 * hangs for some answers only is not given up because chance has put a few of those side by side.
 */
export const STOPS_BEFORE_END = 8;

/** What the function is given: one episode, and the task's own verdict on it. */
export interface Situation {
  question: string;
  expected: string;
  /** What the answering agent said last, and in each turn. */
  answer: string;
  answers: readonly string[];
  /** Everything that was said, in order; empty where only the answers are known. */
  utterances: NonNullable<Attempt['utterances']>;
  task: { reward: number; parts: Readonly<Record<string, number>> };
}

/** What came of one call; lines are counted from 1. */
export type Judgement = { kind: 'judged'; reward: number; parts: Record<string, number> } | { kind: 'stopped' | 'error'; message: string; line: number | null };

/** Whether the code can be read and has the function; null: it does. */
export async function checkReward(sandbox: Sandbox, { code }: CustomReward): Promise<Exclude<Judgement, { kind: 'judged' }> | null> {
  const [result] = await sandbox.run({ language: 'javascript', code: `${code}\nif (typeof reward !== 'function') throw new TypeError('There is no function named reward.');` }, [{ kind: 'stdin', text: '' }], LIMITS);
  if (result?.kind === 'ended') return null;
  const found = complaint(result);
  return found.message.endsWith('There is no function named reward.') ? { ...found, message: 'There is no function named reward.', line: null } : found;
}

/** Runs the function on one episode. Whatever the code does is a judgement; throws only where there can be no sandbox. */
export async function judgeWith(sandbox: Sandbox, { code }: CustomReward, situation: Situation): Promise<Judgement> {
  const [result] = await sandbox.run({ language: 'javascript', code }, [{ kind: 'call', name: 'reward', args: JSON.stringify([situation]) }], LIMITS);
  return result?.kind === 'ended' ? judgementOf(result.value) : complaint(result);
}

/** The complaint in a sentence that says where it is. */
export function faultSentence({ message, line }: { message: string; line: number | null }): string {
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return line === null ? `The code of the reward failed: ${sentence}` : `The code of the reward failed in line ${line}: ${sentence}`;
}

/**
 * The task with the code's reward instead of its own, which becomes a part of the verdict. Where the code fails the reward is 0, and the verdict says why. What
 * guessing earns is not known: the chance level is 0.
 */
export function customRewarded(task: Task, reward: CustomReward | undefined): Task {
  if (reward === undefined) return task;
  let sandbox: Sandbox | null = null;
  let stops = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function judged(situation: Situation): Promise<Judgement> {
    if (!sandbox) return { kind: 'error', message: 'Programs cannot be run here.', line: null };
    if (stops >= STOPS_BEFORE_END) return { kind: 'stopped', message: `It was stopped ${STOPS_BEFORE_END} times in a row and is not run any more; correct it and start again.`, line: null };
    try {
      const judgement = await judgeWith(sandbox, reward ?? { code: '' }, situation);
      stops = judgement.kind === 'stopped' ? stops + 1 : 0;
      return judgement;
    } catch (error) {
      if (!(error instanceof PlaygroundError)) throw error;
      return { kind: 'error', message: `${error.message} ${error.hint}`, line: null };
    }
  }

  return {
    ...task,
    chance: 0,
    ceiling: 1,
    parts: [...task.parts, TASK_PART, ERROR_PART],
    async prepare(services) {
      if (!services.sandbox) throw new PlaygroundError('sandbox-unavailable', 'The code of the reward cannot be run here.', 'Run the experiment in the page or with "marft run".');
      const broken = await checkReward(services.sandbox, reward);
      if (broken) throw new PlaygroundError('reward-broken', faultSentence(broken), 'Correct the code, or remove the custom reward.');
      ({ sandbox } = services);
      await task.prepare?.(services);
    },
    async verify(problem, answer, attempt) {
      const own = await task.verify(problem, answer, attempt);
      const situation: Situation = {
        question: problem.question,
        expected: problem.answer,
        answer,
        answers: attempt.answers,
        utterances: attempt.utterances ?? [],
        task: { reward: own.reward, parts: own.parts },
      };
      // One after the other, so that what keeps being stopped is noticed.
      const judgement = turn.then(() => judged(situation));
      turn = judgement.catch(() => undefined);
      return verdictOf(own, await judgement);
    },
  };
}

function verdictOf(own: Verdict, judgement: Judgement): Verdict {
  const parts = { ...own.parts, [TASK_PART]: own.reward };
  if (judgement.kind === 'judged') return { reward: judgement.reward, parts: { ...parts, ...judgement.parts, [ERROR_PART]: 0 } };
  return { reward: 0, parts: { ...parts, [ERROR_PART]: 1 }, fault: faultSentence(judgement) };
}

function complaint(result: Exclude<Result, { kind: 'ended' }> | undefined): Exclude<Judgement, { kind: 'judged' }> {
  if (!result) return { kind: 'error', message: 'Nothing came of it.', line: null };
  return result.kind === 'error' ? result : { kind: 'stopped', message: result.message, line: null };
}

/** What the function returned, kept within [0, 1]. */
function judgementOf(value: string | null): Judgement {
  let returned: unknown;
  try {
    returned = JSON.parse(value ?? 'null');
  } catch {
    returned = null;
  }
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned)) {
    const reward = rewardOf(returned);
    return reward === null ? refused('The function must return a number from 0 to 1, true or false, or { reward, parts }.') : { kind: 'judged', reward, parts: {} };
  }
  const reward = rewardOf(Reflect.get(returned, 'reward'));
  if (reward === null) return refused('The "reward" of what the function returned is no number from 0 to 1.');
  const parts: unknown = Reflect.get(returned, 'parts') ?? {};
  if (typeof parts !== 'object' || parts === null || Array.isArray(parts)) return refused('The "parts" of what the function returned are no object of numbers.');
  const entries = Object.entries(parts).map(([name, part]) => [name, rewardOf(part)] as const);
  if (entries.length > MAX_PARTS) return refused(`There are more than ${MAX_PARTS} parts.`);
  const wrong = entries.find(([name, part]) => !PART.test(name) || name === TASK_PART || name === ERROR_PART || part === null);
  if (wrong) return refused(wrong[1] === null ? `The part "${wrong[0].slice(0, 40)}" is no number.` : `A part cannot be named "${wrong[0].slice(0, 40)}": small letter first, then letters, digits, "_" and "-"; "${TASK_PART}" and "${ERROR_PART}" are taken.`);
  return { kind: 'judged', reward, parts: Object.fromEntries(entries.map(([name, part]) => [name, part ?? 0])) };
}

function rewardOf(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : null;
}

function refused(message: string): Judgement {
  return { kind: 'error', message, line: null };
}
