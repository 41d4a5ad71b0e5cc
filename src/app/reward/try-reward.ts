/** The code of a reward over episodes that a run has recorded. */
import type { Experiment } from '../../experiment/schema.ts';
import type { EpisodeRecord } from '../../marft/records.ts';
import type { Sandbox } from '../../sandbox/types.ts';
import { checkReward, faultSentence, judgeWith, TASK_PART, type Situation } from '../../tasks/custom-reward.ts';

/** Episodes that are tried. */
export const TRIED = 12;

export interface Tried {
  question: string;
  answer: string;
  byTask: number;
  byCode: number;
}

export type Trial = { kind: 'tried'; rows: Tried[] } | { kind: 'fault'; message: string; line: number | null };

/** Ends with the first thing that goes wrong. Throws a PlaygroundError only where there can be no sandbox. */
export async function tryReward(sandbox: Sandbox, code: string, team: Experiment['team'], episodes: readonly EpisodeRecord[]): Promise<Trial> {
  const broken = await checkReward(sandbox, { code });
  if (broken) return { kind: 'fault', message: faultSentence(broken), line: broken.line };
  const rows: Tried[] = [];
  for (const episode of episodes.slice(0, TRIED)) {
    const situation = situationOf(team, episode);
    const judgement = await judgeWith(sandbox, { code }, situation);
    if (judgement.kind !== 'judged') return { kind: 'fault', message: faultSentence(judgement), line: judgement.line };
    rows.push({ question: episode.question, answer: situation.answer, byTask: situation.task.reward, byCode: judgement.reward });
  }
  return { kind: 'tried', rows };
}

/** What the function would have been given. */
function situationOf({ agents }: Experiment['team'], { question, expected, reward, rewardParts, utterances }: EpisodeRecord): Situation {
  const answerer = agents.find(({ role }) => role === 'answers')?.name;
  const answers = utterances.filter(({ agent }) => agent === answerer).map(({ text }) => text);
  return {
    question,
    expected,
    answer: answers.at(-1) ?? '',
    answers,
    utterances: utterances.map(({ agent, text }) => ({ agent, text })),
    task: { reward: rewardParts[TASK_PART] ?? reward, parts: rewardParts },
  };
}
